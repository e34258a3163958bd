package io.github.ratelimit.test.autoconfigure;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import org.jspecify.annotations.Nullable;

/**
 * The states of a policy, which decide unless an outcome is forced. Looks are never
 * forced.
 */
final class ForcedStates implements PolicyDecider {

	final PolicyDecider states;

	private final RateLimitPolicy policy;

	private final RateLimitOutcomes outcomes;

	private final RateLimitClock clock;

	/* The store has given nothing for them that could be refunded. */
	private final Set<RateLimitDecision> made;

	ForcedStates(PolicyDecider states, RateLimitPolicy policy, RateLimitOutcomes outcomes, RateLimitClock clock) {
		this(states, policy, outcomes, clock,
				Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>())));
	}

	private ForcedStates(PolicyDecider states, RateLimitPolicy policy, RateLimitOutcomes outcomes, RateLimitClock clock,
			Set<RateLimitDecision> made) {
		this.states = states;
		this.policy = policy;
		this.outcomes = outcomes;
		this.clock = clock;
		this.made = made;
	}

	private @Nullable RateLimitDecision forced(long permits, boolean withoutDelay) {
		ForcedOutcome forced = (permits > 0) ? this.outcomes.of(this.policy.name()) : null;
		if (forced == null) {
			return null;
		}
		RateLimitDecision decision = forced.decide(this.policy, this.clock.nanos(), withoutDelay);
		this.made.add(decision);
		return decision;
	}

	boolean isForced() {
		return this.outcomes.of(this.policy.name()) != null;
	}

	boolean hasMade(RateLimitDecision decision) {
		return this.made.contains(decision);
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		RateLimitDecision forced = forced(permits, false);
		return (forced != null) ? forced : this.states.decide(key, permits);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		RateLimitDecision forced = forced(permits, true);
		return (forced != null) ? forced : this.states.decideWithoutDelay(key, permits);
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		if (!hasMade(given)) {
			this.states.refund(key, permits, given);
		}
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		if (!hasMade(given)) {
			this.states.settle(key, reserved, used, given);
		}
	}

	@Override
	public void reset(String key) {
		this.states.reset(key);
	}

	@Override
	public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
		RateLimitDecision forced = forced(permits, false);
		return (forced != null) ? CompletableFuture.completedStage(forced) : this.states.decideAsync(key, permits);
	}

	@Override
	public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
		return hasMade(given) ? CompletableFuture.completedStage(null)
				: this.states.settleAsync(key, reserved, used, given);
	}

	@Override
	public @Nullable PolicyDecider under(RateLimitPolicy policy) {
		PolicyDecider under = this.states.under(policy);
		return (under != null) ? new ForcedStates(under, policy, this.outcomes, this.clock, this.made) : null;
	}

	@Override
	public boolean isInProcess() {
		return this.states.isInProcess();
	}

	@Override
	public boolean bans() {
		return this.states.bans();
	}

	@Override
	public long keys() {
		return this.states.keys();
	}

	@Override
	public long evictions() {
		return this.states.evictions();
	}

	@Override
	public long fallbacks() {
		return this.states.fallbacks();
	}

}
