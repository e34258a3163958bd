package io.github.ratelimit.ai;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;

/**
 * What has come of a model's answer by now, in one piece or in many. They come on one
 * thread after another, and another thread may see whoever reads them leave.
 */
final class ModelAnswer {

	/** What a call has used that did not reach the model. */
	static final Usage NOTHING = new DefaultUsage(0, 0, 0, null, 0L, 0L);

	private final TokenEstimates estimates;

	private final long promptTokens;

	private final StringBuilder text = new StringBuilder();

	private int media;

	private boolean begun;

	/* What the provider says, if it does. */
	private @Nullable Usage reported;

	/**
	 * Creates an answer of which nothing has come.
	 * @param estimates counts tokens
	 * @param promptTokens the estimate of what was sent
	 */
	ModelAnswer(TokenEstimates estimates, long promptTokens) {
		this.estimates = estimates;
		this.promptTokens = promptTokens;
	}

	/**
	 * Adds a piece that is about to pass to the caller.
	 */
	synchronized void add(ChatResponse piece) {
		this.begun = true;
		for (Generation generation : piece.getResults()) {
			add(generation.getOutput());
		}

		ChatResponseMetadata metadata = piece.getMetadata();
		Usage usage = (metadata != null) ? metadata.getUsage() : null;
		if (usage != null && usage.getTotalTokens() > 0) {
			this.reported = atLeast(usage);
		}
	}

	private void add(AssistantMessage message) {
		if (message.getText() != null) {
			this.text.append(message.getText());
		}
		for (AssistantMessage.ToolCall call : message.getToolCalls()) {
			this.text.append(call.name()).append(call.arguments());
		}
		this.media += message.getMedia().size();
	}

	/* Some providers report the prompt first, or count on from piece to piece. */
	private Usage atLeast(Usage usage) {
		return greater(Objects.requireNonNullElse(this.reported, NOTHING), usage);
	}

	private static Usage greater(Usage one, Usage other) {
		int prompt = Math.max(one.getPromptTokens(), other.getPromptTokens());
		int completion = Math.max(one.getCompletionTokens(), other.getCompletionTokens());
		int parts = (int) Math.min((long) prompt + completion, Integer.MAX_VALUE);
		int total = Math.max(parts, Math.max(one.getTotalTokens(), other.getTotalTokens()));

		Usage fuller = (one.getTotalTokens() > other.getTotalTokens()) ? one : other;
		return new DefaultUsage(prompt, completion, total, fuller.getNativeUsage(),
				greater(one.getCacheReadInputTokens(), other.getCacheReadInputTokens()),
				greater(one.getCacheWriteInputTokens(), other.getCacheWriteInputTokens()));
	}

	/* A charge cannot reckon with a number that is missing. */
	private static long greater(@Nullable Long one, @Nullable Long other) {
		return Math.max(Objects.requireNonNullElse(one, 0L), Objects.requireNonNullElse(other, 0L));
	}

	/**
	 * Says what the call may use at most.
	 * @param tokens how many tokens the answer may have
	 */
	Usage most(long tokens) {
		return this.estimates.usage(this.promptTokens, tokens);
	}

	/**
	 * Says what an answer has used that is complete: what the provider reports, or else
	 * the estimate.
	 */
	synchronized Usage usage() {
		if (this.reported != null) {
			return this.reported;
		}
		return estimate();
	}

	/**
	 * Says what an answer has used that has ended early: at least the estimate of what
	 * has come, because the provider reports it at the end.
	 */
	synchronized Usage usageSoFar() {
		return atLeast(estimate());
	}

	/**
	 * Says what an answer has used that has failed: nothing if none has begun.
	 */
	synchronized Usage usageOfFailure() {
		if (!this.begun) {
			return NOTHING;
		}
		return usageSoFar();
	}

	private Usage estimate() {
		return this.estimates.usage(this.promptTokens,
				this.estimates.text(this.text.toString()) + this.estimates.media(this.media));
	}

}
