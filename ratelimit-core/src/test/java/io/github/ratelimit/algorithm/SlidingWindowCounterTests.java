package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One word counts a sliding window as three do.
 */
class SlidingWindowCounterTests {

	private static final long LARGEST = (1L << 29) - 1;

	private static final Duration WINDOW = Duration.ofMinutes(10);

	private static final long EPOCH = 1_772_668_800_000_000_000L;

	@Test
	void aLimitOfHalfABillionFitsOneWord() {
		assertThat(Algorithm.of(limit(LARGEST), Tick.NANOSECOND, false)).isInstanceOf(SlidingWindowCounter.class);
		assertThat(Algorithm.of(limit(LARGEST + 1), Tick.NANOSECOND, false))
			.isInstanceOf(WideSlidingWindowCounter.class);
	}

	@ParameterizedTest
	@EnumSource
	void oneWordDecidesAsThreeDo(Tick resolution) {
		RandomCases.check(4000, (random) -> {
			RateLimit limit = anyThatFits(random);
			long tick = resolution.nanosPerTick();
			long window = resolution.ticks(limit.window());
			WordAlgorithm algorithm = new SlidingWindowCounter(limit, resolution, false);
			long now = EPOCH / tick + RandomLimits.upTo(random, window);
			OneKey packed = new OneKey(algorithm, now);
			OneKey wide = new OneKey(new WideSlidingWindowCounter(limit, resolution, false), now);
			long base = base(packed);
			long basedAt = now;
			List<Given> held = new ArrayList<>();
			RateLimitDecision last = packed.look(now);
			for (int i = 0; i < 40; i++) {
				long permits = RandomLimits.permits(random, last, limit.capacity());
				last = packed.decide(now, permits);
				String step = "%d permits of %s at %d, step %d".formatted(permits, limit, now, i);
				assertThat(Decisions.describe(last)).as(step).isEqualTo(Decisions.describe(wide.decide(now, permits)));
				assertThat(packed.isIdle(now)).as(step).isEqualTo(wide.isIdle(now));
				assertThat(packed.words()[1]).as(step).isNotNegative();
				if (base(packed) != base) {
					base = base(packed);
					basedAt = now;
				}
				if (last.allowed() && permits > 0) {
					held.add(new Given(permits, last));
				}
				now = next(random, algorithm, base, now, RandomLimits.pause(random, last, limit) / tick, window);
				if (!held.isEmpty() && random.nextInt(3) == 0) {
					Given given = held.remove(random.nextInt(held.size()));
					if (RateLimitReceipt.of(given.decision()).decidedAtNanos(0) / tick >= basedAt) {
						packed.refund(now, given.permits(), given.decision());
						wide.refund(now, given.permits(), given.decision());
					}
				}
			}
		});
	}

	@Test
	void whatWasTakenBeforeANewBaseStaysTaken() {
		OneKey key = new OneKey(limit(LARGEST), Tick.NANOSECOND, EPOCH);
		long end = EPOCH + 31 * WINDOW.toNanos();
		RateLimitDecision before = key.decide(end - 1, 1000);
		RateLimitDecision after = key.decide(end, 500);
		assertThat(after.remaining()).isEqualTo(LARGEST - 1500);
		key.refund(end, 1000, before);
		assertThat(key.look(end).remaining()).isEqualTo(LARGEST - 1500);
		key.refund(end, 500, after);
		assertThat(key.look(end).remaining()).isEqualTo(LARGEST - 1000);
	}

	@Test
	void aWordThatIsAheadOfItsNewBaseKeepsItsWindow() {
		WordAlgorithm algorithm = new SlidingWindowCounter(limit(LARGEST), Tick.NANOSECOND, false);
		long window = WINDOW.toNanos();
		long base = algorithm.base(EPOCH);
		long now = EPOCH + 31 * window - 1;
		long word = algorithm.take(base, 0, now - window, 7);
		word = algorithm.take(base, word, now, 5);
		long earlier = now - window;
		long[] rebased = algorithm.create(earlier, algorithm, new long[] { base, word });
		RateLimitDecision expected = algorithm.decision(base, word, now, 0, true, null);
		assertThat(expected.remaining()).isEqualTo(LARGEST - 5);
		assertThat(Decisions.describe(algorithm.decision(rebased, 0, now, 0, true, null)))
			.isEqualTo(Decisions.describe(expected));
	}

	@Test
	void aMomentBeforeTheWindowWaitsForTheWindowFirst() {
		long second = Duration.ofSeconds(1).toNanos();
		OneKey key = new OneKey(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 10, Duration.ofSeconds(10)),
				Tick.NANOSECOND, 20 * second);
		key.decide(20 * second, 10);
		RateLimitDecision then = key.decide(20 * second, 3);
		RateLimitDecision before = key.decide(18 * second, 3);
		assertThat(before.remaining()).isZero();
		assertThat(before.resetAfterNanos()).isEqualTo(then.resetAfterNanos() + 2 * second);
		assertThat(before.nextPermitAfterNanos()).isEqualTo(then.nextPermitAfterNanos() + 2 * second);
		assertThat(before.retryAfterNanos()).isEqualTo(then.retryAfterNanos() + 2 * second);
	}

	private static RateLimit anyThatFits(Random random) {
		while (true) {
			RateLimit limit = (random.nextInt(4) > 0)
					? RandomLimits.any(random, RateLimitAlgorithm.SLIDING_WINDOW_COUNTER)
					: limit(LARGEST - RandomLimits.upTo(random, LARGEST / 2));
			if (SlidingWindowCounter.fits(limit, false)) {
				return limit;
			}
		}
	}

	/*
	 * Mostly on, sometimes back, or about to where the base is needsRebase.
	 */
	private static long next(Random random, WordAlgorithm algorithm, long base, long now, long pause, long window) {
		return switch (random.nextInt(10)) {
			case 0 -> now - RandomLimits.upTo(random, 3 * window);
			case 1 -> now + random.nextInt(40) * window;
			case 2 -> {
				long end = OneKey.lastOf(algorithm, base);
				yield ((end > now && end < now + 64 * window) ? end : now) - window
						+ RandomLimits.upTo(random, 2 * window);
			}
			default -> now + pause;
		};
	}

	private static long base(OneKey key) {
		return key.words()[0];
	}

	private static RateLimit limit(long limit) {
		return RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, limit, WINDOW);
	}

	private record Given(long permits, RateLimitDecision decision) {
	}

}
