package io.github.ratelimit.test;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

/**
 * An example that was worked out by hand: requests, and the decision on each. The key is
 * new and the day begins when the example does.
 *
 * @param name the example
 * @param limit the limit
 * @param arrivals seconds since the example's beginning, {@code x} and the permits where
 * they are not one
 * @param outcomes for each arrival {@code A} allowed at once, {@code A+d} allowed after d
 * seconds, {@code R} rejected; {@code /n} and what then remains
 */
record WorkedExample(String name, RateLimit limit, List<String> arrivals, List<String> outcomes) {

	static Stream<WorkedExample> all() {
		List<WorkedExample> all = new ArrayList<>();
		RateLimit three = RateLimit.of(TOKEN_BUCKET, 3, ofMinutes(1));
		all.add(example("T1 three tokens a minute", three, "0 5 10 15", "A/2 A/1 A/0 R/0"));
		all.add(example("T1 and at 60", three, "0 5 10 60x0", "A A A A/3"));
		all.add(example("T1 and just before", three, "0 5 10 59.999999x0", "A A A A/2"));
		all.add(example("T2 N requests, fewer tokens", RateLimit.of(TOKEN_BUCKET, 5, ofMinutes(1)), "0x3 0 0 0 0",
				"A/2 A A R R"));
		all.add(example("T3 more than the limit across a boundary", three, "60 60 60 80 80", "A A A A R"));
		all.add(example("T4 tokens that find the bucket full are dropped", three, "600 600 600 600 600", "A A A R R"));
		RateLimit noBurst = leaky(10).burst(0L).nodelay(true).build();
		RateLimit noBurstNoDelay = leaky(10).burst(0L).build();
		all.add(example("L1 no burst", noBurst, "0 0.1 0.19 0.2 0.2 0.25 0.3", "A A R A R R A"));
		all.add(example("L1 no burst, with nobody to wait", noBurstNoDelay, "0 0.1 0.19 0.2 0.2 0.25 0.3",
				"A A R A R R A"));
		String twelve = "1 1 1 1 2 2 2 2 3 3 3 3";
		all.add(example("L2 queue", leaky(1).burst(2L).build(), twelve, "A A+1 A+2 R A+2 R R R A+2 R R R"));
		all.add(example("L3 no delay", leaky(1).burst(2L).nodelay(true).build(), twelve, "A A A R A R R R A R R R"));
		all.add(example("L4 two stages", leaky(1).burst(2L).delay(1L).build(), twelve,
				"A A A+1 R A+1 R R R A+1 R R R"));
		all.add(example("L longest wait is burst/rate", leaky(10).burst(20L).build(), "0x21 0", "A+2/0 R"));
		all.add(example("L no delay up to burst + 1 at once", leaky(10).burst(20L).nodelay(true).build(), "0x21 0",
				"A/0 R"));
		all.add(example("F1 a minute's quota", RateLimit.of(FIXED_WINDOW_COUNTER, 5, ofMinutes(1)),
				"7230 7237 7244 7251 7259 7260 7265 7270 7280 7290", "A A A A A/0 A/4 A A A A"));
		all.add(example("F2 the same, ten a minute", RateLimit.of(FIXED_WINDOW_COUNTER, 10, ofMinutes(1)),
				"90x5 100x4 119.999 120x5 140x4 150", "A A A A A A"));
		all.add(example("F3 the sixth, until the minute ends", RateLimit.of(FIXED_WINDOW_COUNTER, 5, ofMinutes(1)),
				"1 2 3 4 5 6 59.999999 60", "A A A A A/0 R R A"));
		RateLimit two = RateLimit.of(SLIDING_WINDOW_LOG, 2, ofMinutes(1));
		RateLimit counted = RateLimit.builder(SLIDING_WINDOW_LOG)
			.limit(2)
			.window(ofMinutes(1))
			.countRejected(true)
			.build();
		all.add(example("W1", two, "3601 3630 3650 3700", "A A R A"));
		all.add(example("W1 count-rejected", counted, "3601 3630 3650 3700", "A A R A"));
		all.add(example("W2", two, "60 80 105 145", "A A R A"));
		all.add(example("W2 count-rejected", counted, "60 80 105 145", "A A R A"));
		all.add(example("W3 count-rejected", counted, "3601 3630 3650 3700 3705", "A A R A R"));
		all.add(example("W4 accepted only", two, "3601 3630 3650 3700 3705", "A A R A A"));
		all.add(example("C1", RateLimit.of(SLIDING_WINDOW_COUNTER, 100, ofMinutes(1)), "0x88 60x12 75x0 75",
				"A A/0 A/22 A/21"));
		all.add(example("C2", RateLimit.of(SLIDING_WINDOW_COUNTER, 7, ofMinutes(1)), "0x5 60x2 72 78x0 78 78",
				"A A/0 A/0 A/1 A/0 R/0"));
		all.add(example("C two idle windows", RateLimit.of(SLIDING_WINDOW_COUNTER, 7, ofMinutes(1)), "0x7 120x7 120",
				"A A/0 R"));
		return all.stream();
	}

	private static RateLimit.Builder leaky(long perSecond) {
		return RateLimit.builder(LEAKY_BUCKET).limit(perSecond).window(ofSeconds(1));
	}

	private static WorkedExample example(String name, RateLimit limit, String arrivals, String outcomes) {
		return new WorkedExample(name, limit, List.of(arrivals.split(" ")), List.of(outcomes.split(" ")));
	}

	long nanos(int index) {
		String[] arrival = this.arrivals.get(index).split("x");
		return new BigDecimal(arrival[0]).movePointRight(9).longValueExact();
	}

	long permits(int index) {
		String[] arrival = this.arrivals.get(index).split("x");
		return (arrival.length > 1) ? Long.parseLong(arrival[1]) : 1;
	}

	String outcome(int index, RateLimitDecision decision) {
		String outcome = !decision.allowed() ? "R" : (decision.delayNanos() == 0) ? "A"
				: "A+" + BigDecimal.valueOf(decision.delayNanos(), 9).stripTrailingZeros().toPlainString();
		return this.outcomes.get(index).contains("/") ? outcome + "/" + decision.remaining() : outcome;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
