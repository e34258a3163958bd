package io.github.ratelimit.test.autoconfigure;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import org.jspecify.annotations.Nullable;

/**
 * Decides for a policy as its store does, unless an outcome is forced. Looks are never
 * forced.
 */
final class ForcedDecider implements PolicyDecider {

	final PolicyDecider decider;

	private final RateLimitPolicy policy;

	private final RateLimitOutcomes outcomes;

	private final RateLimitClock clock;

	/* The store has given nothing for them that could be refunded. */
	private final Set<RateLimitDecision> made;

	ForcedDecider(PolicyDecider decider, RateLimitPolicy policy, RateLimitOutcomes outcomes, RateLimitClock clock) {
		this(decider, policy, outcomes, clock,
				Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>())));
	}

	private ForcedDecider(PolicyDecider decider, RateLimitPolicy policy, RateLimitOutcomes outcomes,
			RateLimitClock clock, Set<RateLimitDecision> made) {
		this.decider = decider;
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
		return (forced != null) ? forced : this.decider.decide(key, permits);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		RateLimitDecision forced = forced(permits, true);
		return (forced != null) ? forced : this.decider.decideWithoutDelay(key, permits);
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		if (!hasMade(given)) {
			this.decider.refund(key, permits, given);
		}
	}

	@Override
	public @Nullable LateCharge settle(String key, long reserved, long used, RateLimitDecision given) {
		if (hasMade(given)) {
			return null;
		}
		return this.decider.settle(key, reserved, used, given);
	}

	@Override
	public void reset(String key) {
		this.decider.reset(key);
	}

	@Override
	public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
		RateLimitDecision forced = forced(permits, false);
		return (forced != null) ? CompletableFuture.completedStage(forced) : this.decider.decideAsync(key, permits);
	}

	@Override
	public CompletionStage<@Nullable LateCharge> settleAsync(String key, long reserved, long used,
			RateLimitDecision given) {
		if (hasMade(given)) {
			return CompletableFuture.completedStage(null);
		}
		return this.decider.settleAsync(key, reserved, used, given);
	}

	@Override
	public @Nullable PolicyDecider under(RateLimitPolicy policy) {
		PolicyDecider under = this.decider.under(policy);
		return (under != null) ? new ForcedDecider(under, policy, this.outcomes, this.clock, this.made) : null;
	}

	@Override
	public boolean isInProcess() {
		return this.decider.isInProcess();
	}

	@Override
	public boolean bans() {
		return this.decider.bans();
	}

	@Override
	public boolean reserves() {
		return this.decider.reserves();
	}

	@Override
	public long keys() {
		return this.decider.keys();
	}

	@Override
	public long evictions() {
		return this.decider.evictions();
	}

	@Override
	public long fallbacks() {
		return this.decider.fallbacks();
	}

}
