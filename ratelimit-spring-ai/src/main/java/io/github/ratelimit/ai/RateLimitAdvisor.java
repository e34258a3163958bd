package io.github.ratelimit.ai;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisorChain;
import org.springframework.core.Ordered;
import org.springframework.util.StringUtils;

/**
 * Tells the limits of models who a client calls them for: all rounds of a conversation
 * with tools have the key of the first, and a client may choose its policies and its key
 * by advisor parameters:
 *
 * <pre>{@code
 * client.prompt(question)
 *     .advisors((advisors) -> advisors.param(RateLimitAdvisor.POLICIES, "gold").param(RateLimitAdvisor.KEY, tenant))
 *     .call();
 * }</pre>
 *
 * The {@code ChatClient.Builder} that Spring Boot configures has it. It limits nothing
 * itself: the models that are beans are limited whoever calls them.
 *
 * @since 0.1.0
 */
public final class RateLimitAdvisor implements CallAdvisor, StreamAdvisor {

	/**
	 * The parameter that names the policies, in place of those that limit every call: the
	 * name of one, or a collection of names.
	 */
	public static final String POLICIES = "ratelimit.policies";

	/**
	 * The parameter with the key of policies that have none of their own: the text that a
	 * key expression would give.
	 */
	public static final String KEY = "ratelimit.key";

	/* Before what calls the model in rounds. */
	private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

	@Override
	public String getName() {
		return "Rate Limit Advisor";
	}

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
		Runnable leave = caller(ModelCaller.ofThread(), request).enter();
		try {
			return chain.nextCall(request);
		}
		finally {
			leave.run();
		}
	}

	@Override
	public Flux<ChatClientResponse> adviseStream(ChatClientRequest request, StreamAdvisorChain chain) {
		return Flux
			.deferContextual((context) -> caller(ModelCaller.of(context), request).stream(chain.nextStream(request)));
	}

	private static ModelCaller caller(ModelCaller outer, ChatClientRequest request) {
		return outer.next(policies(request.context().get(POLICIES)), key(request.context().get(KEY)));
	}

	private static @Nullable List<String> policies(@Nullable Object parameter) {
		if (parameter == null) {
			return null;
		}
		if (parameter instanceof String name) {
			return List.of(name);
		}

		if (parameter instanceof Collection<?> names && names.stream().allMatch(String.class::isInstance)) {
			return names.stream().map(String.class::cast).toList();
		}
		throw new IllegalArgumentException("The advisor parameter " + POLICIES
				+ " is neither the name of a policy nor a collection of names, but a "
				+ parameter.getClass().getName());
	}

	private static @Nullable String key(@Nullable Object parameter) {
		if (parameter == null) {
			return null;
		}
		if (parameter instanceof String key && StringUtils.hasLength(key)) {
			return key;
		}
		throw new IllegalArgumentException("The advisor parameter " + KEY
				+ " is no text, or an empty one. Give the key itself, such as a tenant's "
				+ "name, or no parameter for the key of the policy");
	}

}
