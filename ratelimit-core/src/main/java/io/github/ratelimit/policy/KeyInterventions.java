package io.github.ratelimit.policy;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * What operators have decided of the keys of one policy. It is never changed once it is
 * published, but replaced.
 */
final class KeyInterventions {

	private final Map<Kind, Keys> kinds = new EnumMap<>(Kind.class);

	private final RateLimitClock clock;

	/**
	 * Creates the interventions of a policy.
	 * @param limiter counts and reports what is decided
	 * @param defined the policy as it is defined
	 * @param inForce all interventions of its keys
	 * @param clock the time of their ends
	 */
	KeyInterventions(StoreRateLimiter limiter, EffectivePolicy defined, List<RateLimitInterventions.InForce> inForce,
			RateLimitClock clock) {
		this.clock = clock;
		RateLimitPolicy enforced = defined.policy.withMode(RateLimitMode.ENFORCE);
		for (RateLimitInterventions.InForce each : inForce) {
			Kind kind = each.intervention().target().kind();
			Keys keys = this.kinds.computeIfAbsent(kind, (same) -> {
				Map<String, Long> ends = new HashMap<>();
				PolicyDecider decider = decider(kind, ends, defined);
				return new Keys(ends, new EffectivePolicy(limiter, enforced, decider, kind));
			});
			String key = Objects.requireNonNull(each.intervention().target().key());
			keys.ends.merge(key, each.endNanos(), Math::max);
		}
	}

	/**
	 * What operators have decided of some keys.
	 */
	Set<Kind> kinds() {
		return this.kinds.keySet();
	}

	private PolicyDecider decider(Kind kind, Map<String, Long> ends, EffectivePolicy defined) {
		if (kind == Kind.EXEMPT) {
			return new EffectivePolicies.UnlimitedStore(() -> 0);
		}
		return new Refusal(kind, ends, this.clock, defined.decider);
	}

	/**
	 * What decides on a key.
	 * @return {@code null} if the policy's numbers do
	 */
	@Nullable EffectivePolicy of(String key) {
		for (Keys keys : this.kinds.values()) {
			Long end = keys.ends.get(key);
			if (end != null && this.clock.nanos() < end) {
				return keys.effective;
			}
		}
		return null;
	}

	/**
	 * What decides on keys with a policy's numbers.
	 * @return {@code null} if nothing here does
	 */
	@Nullable EffectivePolicy find(RateLimitPolicy policy) {
		for (Keys keys : this.kinds.values()) {
			if (policy == keys.effective.policy) {
				return keys.effective;
			}
		}
		return null;
	}

	/**
	 * The keys of which the same is decided.
	 *
	 * @param ends the store's time of the end for each key
	 * @param effective decides on them
	 */
	private record Keys(Map<String, Long> ends, EffectivePolicy effective) {
	}

	/**
	 * Rejects every request without asking anybody.
	 *
	 * @param kind why
	 * @param ends the time of the end for each key
	 * @param clock the time now
	 * @param limits would decide otherwise
	 */
	private record Refusal(Kind kind, Map<String, Long> ends, RateLimitClock clock,
			PolicyDecider limits) implements PolicyDecider {

		@Override
		public RateLimitDecision decide(String key, long permits) {
			RateLimitDecision refusal = refusal(key);
			return (permits > 0) ? refusal : RateLimitDecisions.asLook(refusal);
		}

		/* It may have ended since it was chosen. */
		private RateLimitDecision refusal(String key) {
			long now = this.clock.nanos();
			if (this.kind == Kind.DENY) {
				return RateLimitDecisions.denied(now);
			}
			long left = this.ends.getOrDefault(key, now) - now;
			return RateLimitDecisions.banned(now, Math.max(1, left));
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
		}

		@Override
		public void reset(String key) {
		}

		/* Other policies of the same request, which has ended, are refunded there. */
		@Override
		public boolean isInProcess() {
			return this.limits.isInProcess();
		}

	}

}
