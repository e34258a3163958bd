package io.github.ratelimit.ai;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.MediaContent;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tokenizer.TokenCountEstimator;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;

/**
 * Estimates the tokens of what is sent to a model, and of what may come back.
 *
 * @param estimator counts the tokens of a text
 * @param maxTokens how many an answer has at most whose options do not say it
 */
record TokenEstimates(TokenCountEstimator estimator, int maxTokens) {

	/* What surrounds a message, such as the name of its role. */
	private static final int OF_MESSAGE = 4;

	/*
	 * A picture of usual size. The estimator would count the characters of its encoding,
	 * which are a thousand times as many.
	 */
	private static final int OF_MEDIA = 1000;

	/*
	 * The estimator takes a multiple of the time for a text that is twice as long and has
	 * nothing to divide it at, and a client may send such a text.
	 */
	private static final int PIECE = 500;

	/*
	 * What models read as a control token begins so, such as the end of a text. JTokkit
	 * refuses to count a text with one, and clients may write it like any other.
	 */
	private static final String CONTROL = "<|";

	private static final String NO_CONTROL = "< |";

	/**
	 * Estimates the tokens of a prompt, with the tools that it offers.
	 */
	long prompt(Prompt prompt) {
		long tokens = 0;
		for (Message message : prompt.getInstructions()) {
			tokens += OF_MESSAGE + message(message);
		}

		if (prompt.getOptions() instanceof ToolCallingChatOptions options && options.getToolCallbacks() != null) {
			for (ToolCallback tool : options.getToolCallbacks()) {
				tokens += tool(tool.getToolDefinition());
			}
		}
		return tokens;
	}

	/**
	 * Estimates the tokens of a message, whoever it is from.
	 */
	long message(Message message) {
		long tokens = text(message.getText());
		if (message instanceof MediaContent content) {
			tokens += media(content.getMedia().size());
		}

		if (message instanceof AssistantMessage assistant) {
			for (AssistantMessage.ToolCall call : assistant.getToolCalls()) {
				tokens += text(call.name()) + text(call.arguments());
			}
		}
		if (message instanceof ToolResponseMessage tools) {
			for (ToolResponseMessage.ToolResponse response : tools.getResponses()) {
				tokens += text(response.responseData());
			}
		}
		return tokens;
	}

	private long tool(ToolDefinition tool) {
		return text(tool.name()) + text(tool.description()) + text(tool.inputSchema());
	}

	long text(@Nullable String text) {
		if (text == null) {
			return 0;
		}

		String countable = text.replace(CONTROL, NO_CONTROL);
		long tokens = 0;
		for (int from = 0; from < countable.length(); from += PIECE) {
			tokens += this.estimator.estimate(countable.substring(from, Math.min(countable.length(), from + PIECE)));
		}
		return tokens;
	}

	long media(int count) {
		return (long) OF_MEDIA * count;
	}

	/**
	 * Says the numbers as a model would report them.
	 */
	Usage usage(long prompt, long answer) {
		return new DefaultUsage(reportable(prompt), reportable(answer), reportable(prompt + answer), null, 0L, 0L);
	}

	private static int reportable(long tokens) {
		return (int) Math.min(tokens, Integer.MAX_VALUE);
	}

	/**
	 * Says how many tokens an answer may have at most.
	 * @param model the model
	 * @param prompt what it is asked
	 */
	long answer(ChatModel model, Prompt prompt) {
		ChatOptions options = (prompt.getOptions() != null) ? prompt.getOptions() : model.getOptions();
		BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(options);
		Integer most = positive(options.getMaxTokens());
		if (most == null) {
			// of OpenAI, whose models that reason have no other
			most = number(properties, "maxCompletionTokens");
		}
		if (most == null) {
			most = this.maxTokens;
		}

		Integer answers = number(properties, "n");
		if (answers == null) {
			return most;
		}
		return (long) most * answers;
	}

	/* Some providers mean by -1, or by 0, that there is no most. */
	private static @Nullable Integer positive(@Nullable Integer number) {
		return (number != null && number > 0) ? number : null;
	}

	private static @Nullable Integer number(BeanWrapper properties, String name) {
		if (properties.isReadableProperty(name) && properties.getPropertyValue(name) instanceof Integer number) {
			return positive(number);
		}
		return null;
	}

}
