package io.github.ratelimit.enforce;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.store.RateLimitStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides on requests in shadow: counts what would have become of them and tells the
 * listeners. No caller waits for a decision, and no failure reaches it.
 */
final class Shadow {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	/* Go on where the policy's numbers change. */
	final ShadowCounts counts;

	private final AtomicBoolean warned = new AtomicBoolean();

	final RateLimitPolicy policy;

	private final RateLimitStates states;

	private final boolean inProcess;

	private final RateLimitListener[] listeners;

	/* What a caller is told that asks by hand. */
	private final RateLimitDecision pass;

	Shadow(RateLimitPolicy policy, RateLimitStates states, List<RateLimitListener> listeners) {
		this(policy, states, listeners, new ShadowCounts(policy));
	}

	Shadow(RateLimitPolicy policy, RateLimitStates states, List<RateLimitListener> listeners, ShadowCounts counts) {
		this.counts = counts;
		this.policy = policy;
		this.states = states;
		this.inProcess = states.isInProcess();
		this.listeners = listeners.toArray(RateLimitListener[]::new);
		this.pass = RateLimitDecisions.combined(policy.limits()
			.stream()
			.map((limit) -> RateLimitDecisions.allowed(0, limit.capacity(), 0, 0, 0))
			.toArray(RateLimitDecision[]::new));
	}

	/**
	 * The shadow of a policy that is registered.
	 * @param policy the policy
	 * @param states its states
	 * @param store where the states of its shadow limits are opened
	 * @param listeners are told of each decision
	 * @return the shadow, or {@code null} if all of the policy is enforced
	 */
	static @Nullable Shadow of(RateLimitPolicy policy, RateLimitStates states, RateLimitStore store,
			List<RateLimitListener> listeners) {
		if (policy.mode() == RateLimitMode.SHADOW) {
			return new Shadow(policy, states, listeners);
		}
		RateLimitPolicy tried = policy.shadow();
		return (tried != null) ? new Shadow(tried, open(tried, store), listeners) : null;
	}

	/**
	 * The shadow of a policy whose definition changes.
	 * @param changed the policy as it is to be
	 * @param states its states then
	 * @param before how the policy is decided until then
	 * @param store where the states of its shadow limits are opened
	 * @param listeners are told of each decision
	 * @param counts go on
	 * @return the shadow, or {@code null} if all of the policy is enforced
	 */
	static @Nullable Shadow of(RateLimitPolicy changed, RateLimitStates states, PolicyVersion before,
			RateLimitStore store, List<RateLimitListener> listeners, ShadowCounts counts) {
		if (changed.mode() == RateLimitMode.SHADOW) {
			return new Shadow(changed, states, listeners, counts);
		}
		RateLimitPolicy tried = changed.shadow();
		if (tried == null) {
			return null;
		}
		Shadow shadow = before.shadow;
		RateLimitStates opened = (shadow != null && before.isEnforced()) ? shadow.states.under(tried) : null;
		return new Shadow(tried, (opened != null) ? opened : open(tried, store), listeners, counts);
	}

	/*
	 * The store names a limit by its index in the policy that it is given.
	 */
	private static RateLimitStates open(RateLimitPolicy tried, RateLimitStore store) {
		try {
			return store.open(tried);
		}
		catch (InvalidRateLimitException ex) {
			throw ex.attribute().startsWith("limits[") ? ex.inShadow() : ex;
		}
	}

	/**
	 * Decides on a request, and does not wait for the answer.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 */
	void ask(String key, long permits) {
		if (this.inProcess) {
			noteAnswer(key, decideHere(key, permits));
		}
		else {
			reserve(key, permits);
		}
	}

	private @Nullable RateLimitDecision decideHere(String key, long permits) {
		try {
			return this.states.decide(key, permits);
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Decides as {@link #ask} does on a request that is settled later.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 * @return the decision, or why there is none
	 */
	CompletionStage<RateLimitDecision> reserve(String key, long permits) {
		CompletionStage<RateLimitDecision> answer = decideLater(key, permits);
		answer.whenComplete((decision, failure) -> noteAnswer(key, decision));
		return answer;
	}

	private void noteAnswer(String key, @Nullable RateLimitDecision decision) {
		if (decision == null || decision.unavailable()) {
			this.counts.addDropped();
		}
		else {
			report(key, decision, RateLimitOutcome.of(decision));
		}
	}

	private CompletionStage<RateLimitDecision> decideLater(String key, long permits) {
		try {
			return this.states.decideAsync(key, permits);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	private void report(String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.counts.add(outcome);
		if (!decision.allowed()) {
			this.counts.addRejected(key);
			RejectionLog.addShadow(this.policy.name(), key, decision);
		}
		try {
			for (RateLimitListener listener : this.listeners) {
				listener.onDecision(this.policy, key, decision, outcome);
			}
		}
		catch (RuntimeException ex) {
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("A RateLimitListener failed on a decision of the rate limit policy '" + this.policy.name()
						+ "' in shadow. The request goes on, and this is logged once", ex);
			}
		}
	}

	/**
	 * Settles what a request was given, and does not wait. What fails is lost: the
	 * request is charged what it has reserved.
	 * @param key the key that is limited
	 * @param reserved how many permits the request was given
	 * @param used how many it has used
	 * @param given the decision that allowed it
	 */
	void settle(String key, long reserved, long used, RateLimitDecision given) {
		try {
			this.states.settleAsync(key, reserved, used, given);
		}
		catch (RuntimeException ex) {
			// nobody is to notice
		}
	}

	/**
	 * What a caller is told that asks a policy in shadow by hand: it may pass, as if the
	 * key had never been used.
	 */
	RateLimitDecision pass() {
		return this.pass;
	}

	void reset(String key) {
		this.states.reset(key);
	}

}
