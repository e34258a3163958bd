package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many permits pass in any span of time, and how many in the long run, for limits of
 * every shape and both resolutions.
 */
class RateLawTests {

	private static final int CASES = 1000;

	private static final int STEPS = 80;

	@ParameterizedTest
	@EnumSource(names = { "TOKEN_BUCKET", "LEAKY_BUCKET" })
	void aBucketNeverPassesMoreThanItsCapacityAndWhatItsRateGives(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			Run run = new Run(random, algorithm).greedy(STEPS);
			run.checkSpans(run.limit.capacity(), 0);
		});
	}

	@Test
	void aLeakyBucketsRequestsLeaveInOrderAndNoFasterThanItLeaks() {
		RandomCases.check(CASES, (random) -> {
			Run run = new Run(random, LEAKY_BUCKET).singles(STEPS);
			long last = Long.MIN_VALUE;
			for (Passed passed : run.passed) {
				assertThat(passed.leavesAt()).isGreaterThanOrEqualTo(last);
				last = passed.leavesAt();
			}
			run.passed.replaceAll((passed) -> new Passed(passed.leavesAt(), 0, passed.permits()));
			run.checkSpans(run.limit.delay() + 1, 1);
		});
	}

	/*
	 * Of a log, any half-open interval of one window's length.
	 */
	@ParameterizedTest
	@EnumSource(names = { "FIXED_WINDOW_COUNTER", "SLIDING_WINDOW_LOG" })
	void aWindowNeverHoldsMoreThanTheLimit(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			Run run = new Run(random, algorithm).greedy(STEPS);
			for (Passed first : run.passed) {
				long begin = run.aligned() ? first.at() / run.window * run.window : first.at();
				assertThat(run.between(begin, begin + run.window)).isLessThanOrEqualTo(run.limit.limit());
			}
		});
	}

	@Test
	void aSlidingCountersEstimateNeverExceedsTheLimit() {
		RandomCases.check(CASES, (random) -> {
			Run run = new Run(random, SLIDING_WINDOW_COUNTER).greedy(STEPS);
			for (Passed passed : run.passed) {
				long begin = passed.at() / run.window * run.window;
				BigInteger previous = BigInteger.valueOf(run.between(begin - run.window, begin))
					.multiply(BigInteger.valueOf(begin + run.window - passed.at()))
					.divide(BigInteger.valueOf(run.window));
				long current = run.between(begin, passed.at() + 1);
				assertThat(previous.longValueExact() + current).isLessThanOrEqualTo(run.limit.limit());
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void inTheLongRunTheRateIsTheLimitToWithinAThousandthAndNeverAbove(RateLimitAlgorithm algorithm) {
		RandomCases.check(150, (random) -> {
			Run run = new Run(random, algorithm, divisible(random, algorithm));
			long permits = Math.max(1, run.limit.limit() / 100);
			run.useUpWhatANewKeyHas(permits);
			long begin = run.now;
			run.passed.clear();
			while (run.passed.size() < 1500) {
				run.ask(permits);
			}
			long end = run.end(permits);
			BigInteger passed = BigInteger.valueOf(run.between(begin, end)).multiply(BigInteger.valueOf(run.window));
			BigInteger most = BigInteger.valueOf(run.limit.limit()).multiply(BigInteger.valueOf(end - begin + 1));
			BigInteger least = most.multiply(BigInteger.valueOf(999)).divide(BigInteger.valueOf(1000));
			assertThat(passed).as(run.toString()).isBetween(least, most);
		});
	}

	/*
	 * A limit that requests of a hundredth of it can use up: a bucket that does not
	 * overflow before the tick at which the next can pass, a window that they divide. A
	 * sliding counter of a permit a tick still counts the window before at its end.
	 */
	private static RateLimit divisible(Random random, RateLimitAlgorithm algorithm) {
		RateLimit any = RandomLimits.any(random, algorithm);
		RateLimit.Builder builder = RateLimit.builder(algorithm).window(any.window());
		return switch (algorithm) {
			case TOKEN_BUCKET, LEAKY_BUCKET ->
				builder.limit(any.limit()).burst(any.capacity() + 1 + any.limit() / 50).build();
			case FIXED_WINDOW_COUNTER, SLIDING_WINDOW_LOG -> builder.limit(divisible(any.limit())).build();
			case SLIDING_WINDOW_COUNTER -> builder.limit(divisible((any.limit() + 1) / 2)).build();
		};
	}

	private static long divisible(long limit) {
		return (limit <= 100) ? limit : limit / 100 * 100;
	}

	private record Passed(long at, long delay, long permits) {

		private long leavesAt() {
			return this.at + this.delay;
		}

	}

	/**
	 * One key and all that passed.
	 */
	private static final class Run {

		private final Random random;

		private final RateLimit limit;

		private final long nanosPerTick;

		private final long window;

		private final OneKey key;

		private final List<Passed> passed = new ArrayList<>();

		private long now;

		private RateLimitDecision last;

		private Run(Random random, RateLimitAlgorithm algorithm) {
			this(random, algorithm, RandomLimits.any(random, algorithm));
		}

		private Run(Random random, RateLimitAlgorithm algorithm, RateLimit limit) {
			Tick resolution = Tick.values()[random.nextInt(2)];
			this.random = random;
			this.limit = limit;
			this.nanosPerTick = resolution.nanosPerTick();
			this.window = resolution.ticks(limit.window());
			this.now = Duration.ofDays(20_000).toNanos() / this.nanosPerTick + RandomLimits.upTo(random, this.window);
			this.key = new OneKey(limit, resolution, this.now);
			this.last = this.key.look(this.now);
		}

		private Run greedy(int steps) {
			for (int i = 0; i < steps; i++) {
				pause();
				take((this.random.nextInt(3) == 0) ? Math.max(1, this.last.remaining())
						: RandomLimits.permits(this.random, this.last, this.limit.capacity()));
			}
			return this;
		}

		private Run singles(int steps) {
			for (int i = 0; i < steps; i++) {
				pause();
				take(1);
			}
			return this;
		}

		private void pause() {
			this.now += RandomLimits.pause(this.random, this.last, this.limit) / this.nanosPerTick;
		}

		private void take(long permits) {
			this.last = this.key.decide(this.now, permits);
			if (this.last.allowed() && permits > 0) {
				this.passed.add(new Passed(this.now, this.last.delayNanos() / this.nanosPerTick, permits));
			}
		}

		/**
		 * Takes at the first moment at which it can.
		 */
		private void ask(long permits) {
			take(permits);
			if (!this.last.allowed()) {
				this.now += this.last.retryAfterNanos() / this.nanosPerTick;
			}
		}

		/**
		 * Asks until only time brings more, and waits for it.
		 */
		private void useUpWhatANewKeyHas(long permits) {
			do {
				ask(permits);
			}
			while (this.last.allowed());
			if (aligned() && this.now % this.window != 0) {
				this.now += this.window - this.now % this.window;
			}
		}

		/**
		 * The moment at which it is as full as in the beginning: when the last request
		 * could pass, or when the window ends, until which it goes on.
		 */
		private long end(long permits) {
			if (!aligned()) {
				return this.passed.get(this.passed.size() - 1).at();
			}
			long end = this.now - this.now % this.window + this.window;
			while (this.now < end) {
				ask(permits);
			}
			return end;
		}

		private boolean aligned() {
			return this.limit.algorithm() == FIXED_WINDOW_COUNTER || this.limit.algorithm() == SLIDING_WINDOW_COUNTER;
		}

		private long between(long from, long until) {
			return this.passed.stream()
				.filter((each) -> each.at() >= from && each.at() < until)
				.mapToLong(Passed::permits)
				.sum();
		}

		/**
		 * Checks every span that begins and ends with somebody who passed.
		 * @param burst what may pass at once
		 * @param rounding how many ticks a moment may be late
		 */
		private void checkSpans(long burst, long rounding) {
			for (int from = 0; from < this.passed.size(); from++) {
				long sum = 0;
				for (int until = from; until < this.passed.size(); until++) {
					sum += this.passed.get(until).permits();
					long ticks = this.passed.get(until).at() - this.passed.get(from).at() + rounding;
					BigInteger most = BigInteger.valueOf(this.limit.limit()).multiply(BigInteger.valueOf(ticks));
					BigInteger above = BigInteger.valueOf(sum - burst).multiply(BigInteger.valueOf(this.window));
					assertThat(above).as(toString()).isLessThanOrEqualTo(most);
				}
			}
		}

		@Override
		public String toString() {
			return this.limit + " in ticks of " + this.nanosPerTick + " ns";
		}

	}

}
