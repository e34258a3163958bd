package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of a key of a policy.
 *
 * @param policy the policy's name
 * @param key the key, as requests have it
 * @param banned whether the key is banned, until {@code nextPermitAfter} of its state;
 * {@code null} if nothing bans keys of the policy
 * @param standing the key's state under all limits together
 * @param limits the key's state under each limit; empty if its plan is unlimited
 * @param plan the key's plan, or {@code null} if the policy's own limits decide
 * @param override the key's own override, or {@code null} if it has none
 * @param interventions what operators have decided of the key by hand, or {@code null} if
 * nothing
 */
record KeyDescriptor(String policy, String key, @Nullable Boolean banned, KeyStatus standing,
		List<LimitStandingDescriptor> limits, @Nullable String plan, @Nullable OverrideDescriptor override,
		@Nullable Map<String, InterventionDescriptor> interventions) implements OperationResponseBody {

	static KeyDescriptor of(StoreRateLimiter limiter, String key, RateLimitStanding look,
			@Nullable OverrideDescriptor override, @Nullable Map<String, InterventionDescriptor> interventions) {
		Boolean banned = (limiter.policy().ban() != null || look.banned()) ? look.banned() : null;
		return new KeyDescriptor(limiter.policy().name(), key, banned, KeyStatus.of(look),
				limits(limiter.limitsFor(key), look), limiter.plan(key), override, interventions);
	}

	/* A ban is the state of a key under each of its limits. */
	private static List<LimitStandingDescriptor> limits(List<RateLimit> limits, RateLimitStanding look) {
		List<? extends LimitStanding> looks = look.limits();
		if (look.banned()) {
			looks = Collections.nCopies(limits.size(), look);
		}
		List<LimitStandingDescriptor> descriptors = new ArrayList<>();
		for (int i = 0; i < Math.min(limits.size(), looks.size()); i++) {
			descriptors.add(new LimitStandingDescriptor(LimitDescriptor.of(limits.get(i)), KeyStatus.of(looks.get(i))));
		}
		return descriptors;
	}

	/**
	 * State of a key under one limit.
	 *
	 * @param limit the limit
	 * @param standing the key's state
	 */
	record LimitStandingDescriptor(LimitDescriptor limit, KeyStatus standing) {
	}

	/**
	 * State of a key.
	 *
	 * @param remaining the number of requests of one permit that would be allowed now
	 * @param nextPermitAfter the seconds until {@code remaining} next grows; zero if it
	 * cannot grow
	 * @param resetAfter the seconds until the key has all its permits; zero if it has
	 */
	record KeyStatus(long remaining, BigDecimal nextPermitAfter, BigDecimal resetAfter) {

		static KeyStatus of(LimitStanding look) {
			return new KeyStatus(look.remaining(), DurationText.seconds(look.nextPermitAfter()),
					DurationText.seconds(look.resetAfter()));
		}

	}

}
