package io.github.ratelimit.remote;

import java.math.BigInteger;

import io.github.ratelimit.RateLimit;

/**
 * One instance's share of a limit: all instances together allow no more than the limit.
 * Fractions are dropped, but at least one permit is left, because an instance that allows
 * nothing would be no fallback.
 */
final class LimitShare {

	private LimitShare() {
	}

	/**
	 * One instance's share of permits.
	 * @param permits the permits of all instances, from 0
	 * @param instances how many they are, from 1
	 * @return 0 of none, otherwise at least 1
	 */
	static long of(long permits, int instances) {
		return Math.min(permits, Math.max(1, permits / instances));
	}

	/**
	 * One instance's share of a limit. The window stays.
	 * @param limit the limit of all instances
	 * @param instances how many they are, from 1
	 * @return a limit of the same algorithm, whose longest wait and time to drain are no
	 * longer than the limit's own
	 */
	static RateLimit of(RateLimit limit, int instances) {
		if (instances == 1) {
			return limit;
		}
		long share = of(limit.limit(), instances);
		RateLimit.Builder builder = RateLimit.builder(limit.algorithm())
			.limit(share)
			.window(limit.window())
			.countRejected(limit.countRejected());
		if (limit.calendar() != null) {
			builder.window(limit.calendar());
		}
		switch (limit.algorithm()) {
			case TOKEN_BUCKET -> builder
				.burst(Math.max(1, Math.min(of(limit.burst(), instances), inProportion(limit.burst(), limit, share))));
			case LEAKY_BUCKET -> divideQueue(limit, instances, share, builder);
			default -> {
			}
		}
		return builder.build();
	}

	/*
	 * The queue holds one more than the burst, and one more than the delay passes at
	 * once.
	 */
	private static void divideQueue(RateLimit limit, int instances, long share, RateLimit.Builder builder) {
		long most = Math.min(of(limit.burst() + 1, instances) - 1, inProportion(limit.burst(), limit, share));
		if (limit.nodelay()) {
			builder.burst(most).nodelay(true);
			return;
		}
		long delay = Math.min(most, of(limit.delay() + 1, instances) - 1);
		long waiting = inProportion(limit.burst() - limit.delay(), limit, share);
		builder.burst(Math.min(most, delay + waiting)).delay(delay);
	}

	/*
	 * As many as take no longer at the share's pace than all take at the limit's.
	 */
	private static long inProportion(long permits, RateLimit limit, long share) {
		return BigInteger.valueOf(permits)
			.multiply(BigInteger.valueOf(share))
			.divide(BigInteger.valueOf(limit.limit()))
			.longValueExact();
	}

}
