package io.github.ratelimit.policy;

import java.util.List;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitStanding;

/**
 * What a look says of a policy.
 */
record Standing(long remaining, long resetAfterNanos, long nextPermitAfterNanos, boolean fallback, boolean banned,
		List<LimitStanding> limits) implements RateLimitStanding {

	static Standing of(RateLimitDecision look) {
		return new Standing(look.remaining(), look.resetAfterNanos(), look.nextPermitAfterNanos(), look.fallback(),
				look.banned(), look.limits().stream().<LimitStanding>map(OfLimit::of).toList());
	}

	/**
	 * What a look says of one limit.
	 */
	private record OfLimit(long remaining, long resetAfterNanos, long nextPermitAfterNanos) implements LimitStanding {

		static OfLimit of(LimitStatus look) {
			return new OfLimit(look.remaining(), look.resetAfterNanos(), look.nextPermitAfterNanos());
		}

	}

}
