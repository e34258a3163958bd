package io.github.ratelimit.benchmarks.decision;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Limits that allow or reject everything for as long as a benchmark runs. With many keys,
 * no key is idle for so long that it would be forgotten, because that is not what is
 * compared.
 */
final class Policies {

	static final int MAXIMUM_SIZE = 200_000;

	static final Duration LONG = Duration.ofDays(1);

	static final long FEW = 5;

	/*
	 * Nobody decides so often on one key before a new process begins with the next
	 * contender. More would be a limit of a size that hardly anybody has, and for which
	 * the sliding window counter needs more room.
	 */
	private static final long MAX_DECISIONS = 500_000_000;

	private Policies() {
	}

	static RateLimit tokenBucket(Load load) {
		return bucket(RateLimitAlgorithm.TOKEN_BUCKET, load);
	}

	static RateLimitPolicy charged(Load load) {
		return policy(load).charge("false").build();
	}

	static RateLimitPolicy shadowed(Load load) {
		return policy(load).shadowLimits(List.of(tokenBucket(load))).build();
	}

	static RateLimitPolicy banning(Load load) {
		return policy(load).ban(new RateLimitBan(1, Duration.ofMinutes(10), LONG, 2, LONG)).build();
	}

	static RateLimitPolicy planned(Load load) {
		RateLimitPlan plan = RateLimitPlan.of(tokenBucket(load));
		return policy(load).plans(Map.of("pro", plan, "enterprise", plan)).build();
	}

	/**
	 * Which of three plans a key has, of which one is none.
	 */
	static @Nullable String planOf(RateLimitPolicy policy, String key) {
		return switch (Math.floorMod(key.hashCode(), 3)) {
			case 0 -> "pro";
			case 1 -> "enterprise";
			default -> null;
		};
	}

	private static RateLimitPolicy.Builder policy(Load load) {
		return RateLimitPolicy.builder("policy").limit(tokenBucket(load));
	}

	static RateLimit leakyBucket(Load load) {
		return bucket(RateLimitAlgorithm.LEAKY_BUCKET, load);
	}

	private static RateLimit bucket(RateLimitAlgorithm algorithm, Load load) {
		return switch (load) {
			case ALLOWED -> RateLimit.builder(algorithm)
				.limit(1_000_000)
				.window(Duration.ofSeconds(1))
				.burst(1_000_000_000_000L)
				.build();
			case REJECTED -> RateLimit.builder(algorithm).limit(FEW).window(LONG).burst(FEW).build();
			case MANY_KEYS -> RateLimit.builder(algorithm).limit(3000).window(LONG).burst(1_000_000L).build();
		};
	}

	static RateLimit fixedWindowCounter(Load load) {
		return counter(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, load, 80_000_000_000L);
	}

	static RateLimit slidingWindowCounter(Load load) {
		return counter(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, load, MAX_DECISIONS);
	}

	private static RateLimit counter(RateLimitAlgorithm algorithm, Load load, long many) {
		return RateLimit.of(algorithm, (load == Load.REJECTED) ? FEW : many, LONG);
	}

	static RateLimit slidingWindowLog(Load load) {
		return switch (load) {
			case ALLOWED -> log(1000, Duration.ofMillis(1));
			case REJECTED -> log(FEW, LONG);
			case MANY_KEYS -> log(1000, Duration.ofSeconds(1));
		};
	}

	private static RateLimit log(long limit, Duration window) {
		return RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, limit, window);
	}

	static RateLimitClock clock(Load load) {
		return (load == Load.ALLOWED) ? new FasterClock() : RateLimitClock.system();
	}

}
