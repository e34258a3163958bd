package io.github.ratelimit.ai;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAiProperties;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.support.Suggestion;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.prompt.Prompt;

/**
 * The policies that limit the calls of models, bound to {@link ModelCall} once.
 */
final class ModelPolicies {

	private static final Log logger = LogFactory.getLog(ModelPolicies.class);

	private static final String LOCATION = "the calls of chat models";

	private final RateLimiterRegistry registry;

	private final PolicyBinder binder;

	private final @Nullable String key;

	/* Those of calls that choose none. */
	private final List<PolicyBinding> ofEveryCall;

	private final Map<String, PolicyBinding> bindings = new ConcurrentHashMap<>();

	/**
	 * Binds the policies that limit every call.
	 * @param registry knows the policies
	 * @param binder binds them
	 * @param properties name them
	 * @throws InvalidRateLimitException if a policy does not exist, or cannot limit
	 * models
	 */
	ModelPolicies(RateLimiterRegistry registry, PolicyBinder binder, RateLimitAiProperties properties) {
		this.registry = registry;
		this.binder = binder;
		this.key = properties.key();

		String property = (properties.policy() != null) ? "ratelimit.ai.policy" : "ratelimit.ai.policies";
		List<PolicyBinding> ofEveryCall = new ArrayList<>();
		for (String name : properties.names()) {
			RateLimiter limiter = registry.find(name);
			if (limiter == null) {
				throw InvalidRateLimitException.property(property, name, "is no policy of ratelimit.policies",
						advice(name), null);
			}
			ofEveryCall.add(this.bindings.computeIfAbsent(name, (absent) -> bind(limiter)));
		}
		this.ofEveryCall = List.copyOf(ofEveryCall);

		boolean isKeyRead = ofEveryCall.stream().anyMatch((each) -> each.limiter().policy().key() == null);
		if (this.key != null && !ofEveryCall.isEmpty() && !isKeyRead) {
			logger.warn("ratelimit.ai.key has no effect on calls that choose no policies, because each policy of "
					+ property + " has a key of its own. Remove ratelimit.ai.key, or the keys of the policies.");
		}

		if (ofEveryCall.isEmpty()) {
			logger.info("No policy limits every call of a chat model. Name one in ratelimit.ai.policy, or with the "
					+ "parameter " + RateLimitAdvisor.POLICIES + " of a client's advisors.");
		}
	}

	/**
	 * Returns the policies that limit a call.
	 * @param caller who calls
	 * @throws InvalidRateLimitException if the caller chooses one that does not exist, or
	 * cannot limit models
	 */
	List<PolicyBinding> of(ModelCaller caller) {
		List<String> chosen = caller.policies();
		if (chosen == null) {
			return this.ofEveryCall;
		}
		return chosen.stream().map(this::chosen).toList();
	}

	private PolicyBinding chosen(String name) {
		PolicyBinding known = this.bindings.get(name);
		if (known != null) {
			return known;
		}

		RateLimiter limiter = this.registry.find(name);
		if (limiter == null) {
			throw InvalidRateLimitException.of("The advisor parameter " + RateLimitAdvisor.POLICIES,
					"names '" + name + "', which is no policy of ratelimit.policies", advice(name), null);
		}
		return this.bindings.computeIfAbsent(name, (absent) -> bind(limiter));
	}

	private String advice(String name) {
		List<String> known = this.registry.policies().stream().map((each) -> each.policy().name()).toList();
		return Suggestion.brackets(name, known) + Suggestion.of(name, known);
	}

	private PolicyBinding bind(RateLimiter limiter) {
		String name = limiter.policy().name();
		AppliedLocation location = new AppliedLocation(LOCATION, unlessOwn(limiter, this.key), null, null, null, null);
		PolicyBinding binding = this.binder.bind(limiter, location, ModelCall.METHOD, "ratelimit.ai");

		if (!binding.hasCharge()) {
			throw InvalidRateLimitException.property(property(name, "charge"), null,
					"is missing, but the policy limits chat models, which tell only later what they have used",
					"Set it to usage.totalTokens, or to 1 to count calls.", null);
		}
		if (binding.countsElements()) {
			throw InvalidRateLimitException.property(property(name, "charge-each"), limiter.policy().chargeEach(),
					"cannot be used, because the pieces of a model's answer are no tokens",
					"Use charge, such as usage.totalTokens, in which nothing reads elements or charged.", null);
		}
		return binding;
	}

	/* A policy that has a key of its own keeps it. */
	private static @Nullable String unlessOwn(RateLimiter limiter, @Nullable String key) {
		if (limiter.policy().key() != null) {
			return null;
		}
		return key;
	}

	private static String property(String policy, String name) {
		return "ratelimit.policies" + InvalidRateLimitException.element(policy) + "." + name;
	}

	/**
	 * Says what a call asks of each policy, though not yet how much.
	 * @param caller who calls
	 * @param model the model that is called
	 * @param prompt what it is asked
	 * @param view the request that the call belongs to, or {@code null} outside of one
	 * @return a question for each policy whose caller is not unlimited
	 */
	List<PermitRequest> ask(ModelCaller caller, ChatModel model, Prompt prompt, @Nullable RequestView view) {
		return caller.asked(() -> {
			RateLimitContext context = RateLimitContext.ofCall(view, model, ModelCall.METHOD, new Object[] { prompt });
			List<PermitRequest> asked = new ArrayList<>();
			for (PolicyBinding binding : of(caller)) {
				binding.resolve(context, unlessOwn(binding.limiter(), caller.key()), asked);
			}
			return List.copyOf(asked);
		});
	}

}
