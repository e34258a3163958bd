package io.github.ratelimit.test.model;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;

/**
 * Draws limits of every shape: round and prime numbers, windows from a millisecond to 31
 * days, up to a million a second.
 *
 * @since 0.1.0
 */
public final class RandomLimits {

	private static final long[] WINDOWS_IN_MICROS = { 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 60_000_000,
			3_600_000_000L, 86_400_000_000L, 604_800_000_000L, 2_678_400_000_000L };

	private static final long[] LIMITS = { 1, 2, 3, 5, 7, 10, 60, 97, 100, 1000, 7919, 10_000, 999_983, 1_000_000 };

	private static final long LARGEST_LOG = 200;

	private static final RateLimitAlgorithm[] RESERVING = { RateLimitAlgorithm.TOKEN_BUCKET,
			RateLimitAlgorithm.FIXED_WINDOW_COUNTER, RateLimitAlgorithm.SLIDING_WINDOW_LOG,
			RateLimitAlgorithm.SLIDING_WINDOW_COUNTER };

	private RandomLimits() {
	}

	/**
	 * Draws a limit of any shape.
	 * @param random the random numbers
	 * @param algorithm the limit's algorithm
	 * @return a valid limit
	 */
	public static RateLimit any(Random random, RateLimitAlgorithm algorithm) {
		long micros = random.nextBoolean() ? WINDOWS_IN_MICROS[random.nextInt(WINDOWS_IN_MICROS.length)]
				: upTo(random, 2_678_400_000_000L - 1_000) + 1_000;
		long most = (algorithm == RateLimitAlgorithm.SLIDING_WINDOW_LOG) ? Math.min(micros, LARGEST_LOG) : micros;
		long limit = random.nextBoolean() ? Math.min(most, LIMITS[random.nextInt(LIMITS.length)])
				: upTo(random, most - 1) + 1;
		RateLimit.Builder builder = RateLimit.builder(algorithm).limit(limit).window(Duration.ofNanos(micros * 1000));
		long mostBurst = Math.min(3 * limit, 31_536_000_000_000L / micros * limit);
		switch (algorithm) {
			case TOKEN_BUCKET -> builder.burst(random.nextBoolean() ? null : 1 + upTo(random, mostBurst));
			case LEAKY_BUCKET -> leaky(random, builder, limit, mostBurst);
			case SLIDING_WINDOW_LOG -> builder.countRejected(random.nextBoolean());
			default -> {
			}
		}
		return builder.build();
	}

	private static void leaky(Random random, RateLimit.Builder builder, long limit, long mostBurst) {
		Long burst = random.nextBoolean() ? null : upTo(random, mostBurst);
		builder.burst(burst);
		switch (random.nextInt(3)) {
			case 0 -> builder.nodelay(true);
			case 1 -> builder.delay(upTo(random, (burst != null) ? burst : 0));
			default -> {
			}
		}
	}

	/**
	 * Draws a limit whose rate is a fraction that a store can count exactly.
	 * @param random the random numbers
	 * @param algorithm the limit's algorithm
	 * @param nanosPerTick the store's tick
	 * @param bits the bits of the store's numbers
	 * @return a valid limit
	 */
	public static RateLimit exact(Random random, RateLimitAlgorithm algorithm, long nanosPerTick, int bits) {
		while (true) {
			RateLimit limit = any(random, algorithm);
			if (isExact(limit, nanosPerTick, bits)) {
				return limit;
			}
		}
	}

	/**
	 * Draws a policy of one to three limits.
	 * @param random the random numbers
	 * @param nanosPerTick the store's tick
	 * @param bits the bits of the store's numbers
	 * @return a policy of exact limits
	 */
	public static RateLimitPolicy policy(Random random, long nanosPerTick, int bits) {
		List<RateLimit> limits = new ArrayList<>();
		int size = random.nextBoolean() ? 1 : 2 + random.nextInt(2);
		for (int i = 0; i < size; i++) {
			limits.add(exact(random, RateLimitAlgorithm.values()[random.nextInt(5)], nanosPerTick, bits));
		}
		return RateLimitPolicy.builder("random").limits(limits).build();
	}

	/**
	 * Draws a policy of one to three limits that is charged by outcome.
	 * @param random the random numbers
	 * @param nanosPerTick the store's tick
	 * @param bits the bits of the store's numbers, of which debts need one
	 * @return a policy of exact limits that make no request wait
	 */
	public static RateLimitPolicy chargedPolicy(Random random, long nanosPerTick, int bits) {
		while (true) {
			RateLimitPolicy policy = policy(random, nanosPerTick, bits - 1);
			if (!policy.delays()) {
				return RateLimitPolicy.builder("charged").charge("status >= 400").limits(policy.limits()).build();
			}
		}
	}

	/**
	 * Draws a policy that bans keys.
	 * @param random the random numbers
	 * @param nanosPerTick the store's tick
	 * @param bits the bits of the store's numbers
	 * @return a policy of exact limits with a ban whose times are like those of the
	 * limits
	 */
	public static RateLimitPolicy banningPolicy(Random random, long nanosPerTick, int bits) {
		RateLimitPolicy policy = policy(random, nanosPerTick, bits);
		long window = policy.limits().get(0).window().toNanos() / 1000;
		Duration first = micros(1000 + upTo(random, window));
		RateLimitBan ban = new RateLimitBan(1 + (int) upTo(random, random.nextInt(10) == 0 ? 30 : 4),
				micros(1000 + upTo(random, 3 * window)), first,
				random.nextBoolean() ? 2 : 1 + random.nextInt(30) / 10.0, first.multipliedBy(1 + random.nextInt(10)));
		return RateLimitPolicy.builder("banning").limits(policy.limits()).ban(ban).build();
	}

	/**
	 * Draws a policy whose requests may wait for reserved permits.
	 * @param random the random numbers
	 * @param nanosPerTick the store's tick
	 * @param bits the bits of the store's numbers
	 * @return a policy of one exact limit
	 */
	public static RateLimitPolicy waitingPolicy(Random random, long nanosPerTick, int bits) {
		RateLimitAlgorithm algorithm = RESERVING[random.nextInt(RESERVING.length)];
		while (true) {
			RateLimit limit = exact(random, algorithm, nanosPerTick, bits - 1);
			long window = limit.window().toNanos() / 1000;
			long most = Math.min(3_600_000_000L, random.nextBoolean() ? 2 * window : 60 * window);
			Duration maxWait = micros(1000 + upTo(random, most - 1000));
			if (!limit.countRejected() && isReservedExactly(limit, maxWait, nanosPerTick, bits - 1)) {
				return RateLimitPolicy.builder("waiting").limit(limit).maxWait(maxWait).build();
			}
		}
	}

	private static boolean isReservedExactly(RateLimit limit, Duration maxWait, long nanosPerTick, int bits) {
		BigInteger window = BigInteger.valueOf(limit.window().toNanos() / nanosPerTick);
		BigInteger permits = BigInteger.valueOf(limit.limit());
		BigInteger scale = permits.divide(permits.gcd(window));
		return scale.multiply(BigInteger.valueOf(maxWait.toNanos() / nanosPerTick)).bitLength() < bits;
	}

	private static Duration micros(long micros) {
		return Duration.ofNanos(micros * 1000);
	}

	/**
	 * Whether the numbers that count a limit's permits exactly fit a store's.
	 * @param limit the limit
	 * @param nanosPerTick the store's tick
	 * @param bits the bits of the store's numbers
	 * @return {@code true} if they fit
	 */
	public static boolean isExact(RateLimit limit, long nanosPerTick, int bits) {
		BigInteger window = BigInteger.valueOf(limit.window().toNanos() / nanosPerTick);
		BigInteger permits = BigInteger.valueOf(limit.limit());
		BigInteger unitsForAll = window.divide(permits.gcd(window)).multiply(BigInteger.valueOf(limit.capacity()));
		return unitsForAll.bitLength() < bits;
	}

	/**
	 * Draws a number whose magnitude is as likely to be small as large.
	 * @param random the random numbers
	 * @param most the largest number
	 * @return from 0 to {@code most}
	 */
	public static long upTo(Random random, long most) {
		long bound = Math.min(most, 1L << random.nextInt(65 - Long.numberOfLeadingZeros(most)));
		return (long) (random.nextDouble() * (bound + 1));
	}

	/**
	 * Draws how long to wait before the next request: often not at all, or exactly as
	 * long as a decision said, or a tick less.
	 * @param random the random numbers
	 * @param last the last decision
	 * @param limit one of the limits
	 * @return nanoseconds
	 */
	public static long pause(Random random, RateLimitDecision last, RateLimit limit) {
		long window = limit.window().toNanos();
		return switch (random.nextInt(12)) {
			case 0, 1, 2, 3 -> 0;
			case 4 -> upTo(random, 3 * window / limit.limit());
			case 5 -> upTo(random, window);
			case 6 -> Math.max(0, last.retryAfterNanos());
			case 7 -> Math.max(0, last.retryAfterNanos() - 1000);
			case 8 -> last.nextPermitAfterNanos();
			case 9 -> last.resetAfterNanos();
			case 10 -> Math.max(0, last.resetAfterNanos() - 1000);
			default -> window * random.nextInt(4) + upTo(random, window);
		};
	}

	/**
	 * Draws how long to wait before the next request of a key that may be banned: often
	 * until a ban ends or is forgotten, or a tick less.
	 * @param random the random numbers
	 * @param last the last decision
	 * @param policy a policy that bans keys
	 * @param limit one of its limits
	 * @return nanoseconds
	 */
	public static long banPause(Random random, RateLimitDecision last, RateLimitPolicy policy, RateLimit limit) {
		RateLimitBan ban = Objects.requireNonNull(policy.ban());
		long forgotten = Math.max(ban.within().toNanos(), ban.duration(1 + random.nextInt(4)).toNanos());
		return switch (random.nextInt(6)) {
			case 0 -> ban.within().toNanos() / (1 + random.nextInt(3));
			case 1 -> Math.max(0, last.retryAfterNanos());
			case 2 -> Math.max(0, last.retryAfterNanos() - 1000);
			case 3 -> Math.max(0, last.retryAfterNanos()) + forgotten - 1000 * random.nextInt(2);
			case 4 -> forgotten - 1000 * random.nextInt(2);
			default -> pause(random, last, limit);
		};
	}

	/**
	 * Draws what a request costs: mostly one permit, sometimes about all that is left,
	 * and sometimes more than there can be.
	 * @param random the random numbers
	 * @param last the last decision
	 * @param capacity the most permits that can pass
	 * @return the permits, from 0
	 */
	public static long permits(Random random, RateLimitDecision last, long capacity) {
		return switch (random.nextInt(8)) {
			case 0 -> 0;
			case 1 -> last.remaining();
			case 2 -> last.remaining() + 1;
			case 3 -> upTo(random, capacity);
			case 4 -> (random.nextInt(4) == 0) ? capacity + 1 + upTo(random, capacity) : 1;
			default -> 1;
		};
	}

}
