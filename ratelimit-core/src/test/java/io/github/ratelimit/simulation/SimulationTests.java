package io.github.ratelimit.simulation;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What limits make of given traffic.
 */
class SimulationTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@ParameterizedTest(name = "{0} {1}")
	@CsvSource({ "T1, TOKEN_BUCKET 3 60, 0 5 10 15 60 60 60 60, 0 0 0 -1 0 0 0 -1",
			"T3, TOKEN_BUCKET 3 60, 60 60 60 80 80, 0 0 0 0 -1",
			"T4, TOKEN_BUCKET 3 60, 600 600 600 600 600, 0 0 0 -1 -1",
			"L2, LEAKY_BUCKET 1 1 2, 1 1 1 1 2 2 2 2 3 3 3 3, 0 1000 2000 -1 2000 -1 -1 -1 2000 -1 -1 -1",
			"L3, LEAKY_BUCKET 1 1 2 2, 1 1 1 1 2 2 2 2 3 3 3 3, 0 0 0 -1 0 -1 -1 -1 0 -1 -1 -1",
			"L4, LEAKY_BUCKET 1 1 2 1, 1 1 1 1 2 2 2 2 3 3 3 3, 0 0 1000 -1 1000 -1 -1 -1 1000 -1 -1 -1",
			"F1, FIXED_WINDOW_COUNTER 5 60, 30 37 44 51 59 60 65 70 80 90, 0 0 0 0 0 0 0 0 0 0",
			"F3, FIXED_WINDOW_COUNTER 5 60, 1 2 3 4 5 6 59 60, 0 0 0 0 0 -1 -1 0",
			"W1, SLIDING_WINDOW_LOG 2 60, 1 30 50 100, 0 0 -1 0",
			"W3, SLIDING_WINDOW_LOG 2 60 count-rejected, 1 30 50 100 105, 0 0 -1 0 -1",
			"W4, SLIDING_WINDOW_LOG 2 60, 1 30 50 100 105, 0 0 -1 0 0",
			"C, SLIDING_WINDOW_COUNTER 7 60, 0 1 2 3 4 60 61 72 78 78 78, 0 0 0 0 0 0 0 0 0 -1 -1" })
	void workedExamplesHaveTheirOutcomes(String example, String limit, String arrivals, String delays) {
		long[] seconds = numbers(arrivals);
		long[] gaps = IntStream.range(0, seconds.length)
			.mapToLong((i) -> 1000 * (seconds[i] - ((i > 0) ? seconds[i - 1] : 0)))
			.toArray();
		assertThat(run(gaps, limit(limit))).extracting(SimulatedLimit::delays).containsExactly(numbers(delays));
	}

	@Test
	void countsAreThoseOfTheOutcomes() {
		SimulatedLimit limit = run(new long[] { 1000, 0, 0, 0 }, limit("LEAKY_BUCKET 3 1 2")).get(0);
		assertThat(limit.delays()).containsExactly(0, 334, 667, -1);
		assertThat(limit.allowed()).isOne();
		assertThat(limit.delayed()).isEqualTo(2);
		assertThat(limit.rejected()).isOne();
		assertThat(limit.longestDelay()).isBetween(Duration.ofNanos(666_666_666), Duration.ofNanos(666_666_667));
		assertThat(limit.limit().burst()).isEqualTo(2);
	}

	@ParameterizedTest
	@EnumSource
	void outcomesAreThoseOfTheStore(RateLimitAlgorithm algorithm) {
		long seed = 20261122 + algorithm.ordinal();
		Random random = new Random(seed);
		for (int round = 0; round < 50; round++) {
			RateLimit.Builder builder = RateLimit.builder(algorithm)
				.limit(1 + random.nextInt(20))
				.window(Duration.ofMillis(500 + random.nextInt(20_000)));
			if (algorithm == RateLimitAlgorithm.LEAKY_BUCKET || algorithm == RateLimitAlgorithm.TOKEN_BUCKET) {
				builder.burst(1L + random.nextInt(20));
			}
			RateLimit limit = builder.build();
			long[] gaps = random.longs(200, 0, 1500).map((gap) -> (gap < 700) ? gap / 50 : gap).toArray();
			long[] costs = random.longs(gaps.length, 1, 4).toArray();
			List<SimulatedLimit> simulated = run(new Simulation(List.of(limit, limit), gaps, costs));
			assertThat(simulated).as("seed %d, round %d", seed, round)
				.extracting(SimulatedLimit::delays)
				.containsExactly(byTheStore(limit, gaps, costs), byTheStore(limit, gaps, costs));
		}
	}

	private static long[] byTheStore(RateLimit limit, long[] gaps, long[] costs) {
		long window = limit.window().toNanos();
		ManualClock clock = new ManualClock(Duration.ofDays(30_000).toNanos() / window * window);
		try (LocalRateLimitStore store = new LocalRateLimitStore(clock, 1)) {
			PolicyDecider states = store.open(RateLimitPolicy.of("direct", limit));
			return IntStream.range(0, gaps.length).mapToLong((i) -> {
				clock.advance(Duration.ofMillis(gaps[i]));
				RateLimitDecision decision = states.decide("me", costs[i]);
				return decision.allowed() ? (decision.delayNanos() + 999_999) / 1_000_000 : -1;
			}).toArray();
		}
	}

	@Test
	void trafficBeginsWithAWindowWhateverItsLength() {
		RateLimit odd = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofMillis(7919));
		RateLimit odder = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofMillis(104_729));
		long[] gaps = { 0, 7918, 1, 104_729 - 7919 - 1, 1 };
		assertThat(run(gaps, odd, odder, odd)).extracting(SimulatedLimit::delays)
			.containsExactly(new long[] { 0, -1, 0, 0, -1 }, new long[] { 0, -1, -1, -1, 0 },
					new long[] { 0, -1, 0, 0, -1 });
	}

	@Test
	void computationIsGivenUpAfterFiftyMilliseconds() {
		AtomicLong stopwatch = new AtomicLong();
		Simulation simulation = new Simulation(List.of(limit("TOKEN_BUCKET 3 60")), new long[10_000], null);
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> simulation.run(() -> stopwatch.getAndAdd(1_000_000)));
		assertThat(stopwatch.get()).isBetween(50_000_000L, 55_000_000L);
	}

	@Test
	void largestSimulationIsComputed() {
		RateLimit[] limits = Arrays.stream(RateLimitAlgorithm.values())
			.map((algorithm) -> RateLimit.of(algorithm, 100_000, Duration.ofDays(31)))
			.toArray(RateLimit[]::new);
		long[] gaps = LongStream.generate(() -> 267_840).limit(Simulation.MAX_REQUESTS).toArray();
		assertThat(run(gaps, limits)).hasSize(5)
			.allSatisfy((limit) -> assertThat(limit.allowed()).isEqualTo(Simulation.MAX_REQUESTS));
	}

	@Test
	void whatIsOutOfItsRangeIsNotSimulated() {
		RateLimit limit = limit("TOKEN_BUCKET 3 60");
		RateLimit large = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 100_001, MINUTE);
		RateLimit calendar = RateLimit.builder(RateLimitAlgorithm.FIXED_WINDOW_COUNTER)
			.limit(1)
			.window(CalendarWindow.parse("P1D", "UTC", null))
			.build();
		long[] none = {};
		assertInvalid("limits", none, null);
		assertInvalid("limits", none, null, limit, limit, limit, limit, limit, limit);
		assertInvalid("limits[1].limit", none, null, limit, large);
		assertInvalid("limits[0].burst", none, null, limit("TOKEN_BUCKET 10000 60 100001"));
		assertInvalid("limits[0].zone", none, null, calendar);
		assertInvalid("gaps", new long[10_001], null, limit);
		assertInvalid("gaps[1]", new long[] { 0, -1 }, null, limit);
		assertInvalid("gaps[1]", new long[] { 1, Duration.ofDays(31).toMillis() }, null, limit);
		assertInvalid("gaps[1]", new long[] { 1, Long.MAX_VALUE }, null, limit);
		assertInvalid("costs", new long[] { 0, 0 }, new long[] { 1 }, limit);
		assertInvalid("costs[1]", new long[] { 0, 0 }, new long[] { 1, 0 }, limit);
		assertInvalid("costs[0]", new long[] { 0 }, new long[] { 100_001 }, limit);
	}

	private static void assertInvalid(String attribute, long[] gaps, long[] costs, RateLimit... limits) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new Simulation(List.of(limits), gaps, costs))
			.satisfies((mistake) -> assertThat(mistake.attribute()).isEqualTo(attribute));
	}

	private static List<SimulatedLimit> run(long[] gaps, RateLimit... limits) {
		return run(new Simulation(List.of(limits), gaps, null));
	}

	private static List<SimulatedLimit> run(Simulation simulation) {
		try {
			return simulation.run(new ManualClock(0));
		}
		catch (TimeoutException ex) {
			throw new AssertionError(ex);
		}
	}

	private static long[] numbers(String text) {
		return Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
	}

	/* The algorithm, the limit, the window in seconds, the burst and the delay. */
	private static RateLimit limit(String text) {
		String[] words = text.replace(" count-rejected", "").split(" ");
		return RateLimit.builder(RateLimitAlgorithm.valueOf(words[0]))
			.limit(Long.parseLong(words[1]))
			.window(Duration.ofSeconds(Long.parseLong(words[2])))
			.burst((words.length > 3) ? Long.valueOf(words[3]) : null)
			.delay((words.length > 4) ? Long.valueOf(words[4]) : null)
			.countRejected(text.endsWith(" count-rejected"))
			.build();
	}

}
