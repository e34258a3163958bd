package io.github.ratelimit.policy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * Decides on requests in shadow: counts what would have become of them and tells the
 * listeners. No caller waits for a decision, and no failure reaches it.
 */
final class Shadow {

	/* Its counts go on where the policy's numbers change. */
	private final DecisionReports reports;

	final RateLimitPolicy policy;

	private final PolicyDecider states;

	private final boolean inProcess;

	/* What a caller is told that asks by hand. */
	private final RateLimitDecision pass;

	Shadow(RateLimitPolicy policy, PolicyDecider states, DecisionReports reports) {
		this.reports = reports;
		this.policy = policy;
		this.states = states;
		this.inProcess = states.isInProcess();
		this.pass = RateLimitDecisions.combined(policy.limits()
			.stream()
			.map((limit) -> RateLimitDecisions.allowed(0, limit.capacity(), 0, 0, 0))
			.toArray(RateLimitDecision[]::new));
	}

	/**
	 * The shadow of a policy as it is defined.
	 * @param policy the policy
	 * @param states its states
	 * @param before how the policy was decided until then, or {@code null} if it is new
	 * @param store where the states of its shadow limits are opened
	 * @param reports counts and tells what is decided
	 * @return the shadow, or {@code null} if all of the policy is enforced
	 */
	static @Nullable Shadow of(RateLimitPolicy policy, PolicyDecider states, @Nullable PolicyVersion before,
			RateLimitStore store, DecisionReports reports) {
		if (policy.mode() == RateLimitMode.SHADOW) {
			return new Shadow(policy, states, reports);
		}
		RateLimitPolicy tried = policy.shadow();
		if (tried == null) {
			return null;
		}
		Shadow shadow = (before != null && before.isEnforced()) ? before.shadow : null;
		PolicyDecider opened = (shadow != null) ? shadow.states.under(tried) : null;
		return new Shadow(tried, (opened != null) ? opened : open(tried, store), reports);
	}

	/*
	 * The store names a limit by its index in the policy that it is given.
	 */
	private static PolicyDecider open(RateLimitPolicy tried, RateLimitStore store) {
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
			this.reports.shadow.addDropped();
		}
		else {
			this.reports.addShadow(this.policy, key, decision);
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
			// no request is to notice
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
