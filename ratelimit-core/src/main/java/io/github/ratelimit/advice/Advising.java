package io.github.ratelimit.advice;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.advice.Advice.Curve;
import io.github.ratelimit.advice.Advice.Point;
import io.github.ratelimit.advice.Advice.Suggestion;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Makes advice of what was observed. Of all rates and bursts that would have rejected at
 * most one in 200 callers, it suggests those that let a single caller do least: the
 * permits of one window, and the burst. How many requests they reject does not matter,
 * because one caller may make most of them.
 *
 * @param policy the policy that is advised
 * @param ladder the rates and bursts that were tried
 * @param since when the observation began
 * @param time for how long it has lasted
 * @param callers how many callers there were
 * @param requests how many requests there were
 * @param leftOut how many of them were only counted
 * @param sampledCallers how many callers are in the sample
 * @param rejectedCallers the shares of callers that would have been rejected
 * @param rejected how many requests would have been rejected
 * @param mostOfOneCaller how many requests one caller made, of the one that made most
 * @param earlier the first part of it
 */
record Advising(RateLimitPolicy policy, Ladder ladder, Instant since, Duration time, long callers, long requests,
		long leftOut, int sampledCallers, double[] rejectedCallers, double[] rejected, long mostOfOneCaller,
		Earlier earlier) {

	/* One in 200. */
	private static final double MOST_CALLERS = 0.005;

	private static final int LEAST_CALLERS = 20;

	private static final int LEAST_REQUESTS = 100;

	private static final int LEAST_WINDOWS = 10;

	private static final Duration SHORTEST = Duration.ofMinutes(10);

	private static final Duration LONGEST_NEEDED = Duration.ofDays(1);

	private static final int FEW_CALLERS = 1000;

	private static final double CHANGE = 2;

	private static final double MOST_TIMES = 1000;

	private static final double LEAST_SHARE = 0.001;

	private static final double LEFT_OUT = 0.01;

	private static final double MOST_OF_ONE_CALLER = 0.5;

	Advice advice() {
		List<String> missing = missing();
		Suggestion suggestion = missing.isEmpty() ? suggestion() : null;
		if (missing.isEmpty() && suggestion == null) {
			missing.add("No rate and burst that was tried would have rejected as few as 0.5 % of callers. "
					+ "Try a higher limit in shadow and restart the application: what is tried is around the limit.");
		}
		return new Advice(this.since, this.time, this.callers, this.requests, this.sampledCallers,
				IntStream.range(0, Ladder.RATES).mapToObj(this::curve).toList(), suggestion, List.copyOf(missing),
				notes());
	}

	private List<String> notes() {
		double share = share(this.mostOfOneCaller, this.requests);
		if (this.requests < LEAST_REQUESTS || share < MOST_OF_ONE_CALLER) {
			return List.of();
		}
		return List.of("One caller makes " + percent(share)
				+ " of requests, so that shares of requests say most of what would become of it alone.");
	}

	private List<String> missing() {
		List<String> missing = new ArrayList<>();
		if (this.callers < LEAST_CALLERS) {
			missing.add(LEAST_CALLERS + " callers are needed; observed: " + this.callers + ".");
		}
		if (this.requests < LEAST_REQUESTS) {
			missing.add(LEAST_REQUESTS + " requests are needed; observed: " + this.requests + ".");
		}
		Duration windows = Duration.ofNanos(this.ladder.window).multipliedBy(LEAST_WINDOWS);
		Duration needed = Collections.min(List.of(LONGEST_NEEDED, Collections.max(List.of(SHORTEST, windows))));
		if (this.time.compareTo(needed) < 0) {
			missing
				.add("The observation must last for " + DurationText.of(needed) + "; so far: " + observedTime() + ".");
		}
		return missing;
	}

	private Curve curve(int rate) {
		return new Curve(this.ladder.limits[rate], seconds(rate),
				IntStream.range(0, Ladder.BURSTS).mapToObj((burst) -> point(burst * Ladder.RATES + rate)).toList());
	}

	private BigDecimal seconds(int rate) {
		return DurationText.seconds(Duration.ofNanos(this.ladder.windows[rate]));
	}

	private Point point(int cell) {
		return new Point(this.ladder.bursts[cell / Ladder.RATES], this.rejectedCallers[cell],
				share(this.rejected[cell], this.requests));
	}

	private static double share(double rejected, long requests) {
		return Math.min(1, rejected / Math.max(1, requests));
	}

	private @Nullable Suggestion suggestion() {
		return IntStream.range(0, Ladder.CELLS)
			.filter((cell) -> this.rejectedCallers[cell] <= MOST_CALLERS)
			.boxed()
			.min(Comparator.comparingDouble(this::most))
			.map(this::suggestion)
			.orElse(null);
	}

	/* What a caller can get in one window. */
	private double most(int cell) {
		int rate = cell % Ladder.RATES;
		return this.ladder.limits[rate] * (double) this.ladder.window / this.ladder.windows[rate]
				+ this.ladder.bursts[cell / Ladder.RATES];
	}

	private Suggestion suggestion(int cell) {
		int rate = cell % Ladder.RATES;
		Duration window = Duration.ofNanos(this.ladder.windows[rate]);
		long limit = this.ladder.limits[rate];
		Point point = point(cell);
		String text = number(limit) + " per " + DurationText.of(window) + ", burst " + point.burst() + ": "
				+ percent(point.callers()) + " of callers, " + percent(point.requests()) + " of requests; observed "
				+ observedTime() + ", " + number(this.callers) + " callers";
		return new Suggestion(limit, seconds(rate), point.burst(), point.callers(), point.requests(), text,
				yaml(limit, window, point.burst()), doubts(cell));
	}

	/* Why the figures of one rate and burst may not hold. */
	private List<String> doubts(int cell) {
		List<String> doubts = new ArrayList<>();
		if (this.callers < FEW_CALLERS) {
			doubts.add("Few callers: one of them is " + percent(1.0 / this.callers));
		}
		if (this.time.compareTo(LONGEST_NEEDED) < 0) {
			doubts.add("Short time: less than a day, so that other hours were not observed");
		}
		addChange(doubts, cell);
		double leftOut = share(this.leftOut, this.requests);
		if (leftOut > LEFT_OUT) {
			doubts.add("Not all was observed: " + percent(leftOut)
					+ " of requests were left out, because too many came at once");
		}
		return doubts;
	}

	private void addChange(List<String> doubts, int cell) {
		long later = this.requests - this.earlier.requests();
		double before = this.earlier.requests() / Math.max(1.0, this.earlier.nanos());
		double after = later / Math.max(1.0, this.time.toNanos() - this.earlier.nanos());
		double rejectedBefore = share(this.earlier.rejected()[cell], this.earlier.requests());
		double rejectedAfter = share(this.rejected[cell] - this.earlier.rejected()[cell], later);
		if (changes(before, after)
				|| Math.max(rejectedBefore, rejectedAfter) > LEAST_SHARE && changes(rejectedBefore, rejectedAfter)) {
			doubts.add("Changing traffic: in the later part of the time, requests come "
					+ digits(Math.min(MOST_TIMES, after / before)) + " times as often, and " + percent(rejectedAfter)
					+ " of them would have been rejected in place of " + percent(rejectedBefore));
		}
	}

	private static boolean changes(double before, double after) {
		return Math.max(before, after) > CHANGE * Math.min(before, after);
	}

	private static String number(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

	private static String percent(double share) {
		return (share > 0 && share < 0.0001) ? "less than 0.01 %" : digits(share * 100) + " %";
	}

	/* Two, as more would not be known. */
	private static String digits(double number) {
		return BigDecimal.valueOf(number).round(new MathContext(2)).stripTrailingZeros().toPlainString();
	}

	/* In the largest unit, such as 3 d. */
	private String observedTime() {
		return DurationText.of(this.time.truncatedTo(ChronoUnit.SECONDS)).replaceFirst("^(\\S+ \\S+) .*", "$1");
	}

	/* The limit as a configuration file has it. */
	private String yaml(long limit, Duration window, long burst) {
		String name = this.policy.name().matches("[-a-z0-9]*") ? this.policy.name() : "[" + this.policy.name() + "]";
		String key = (this.policy.key() != null) ? "      key: " + quoted(this.policy.key()) + "\n" : "";
		String text = DurationText.of(window);
		return """
				ratelimit:
				  policies:
				    %s:
				      mode: shadow # rejects nobody until it is removed
				%s      algorithm: token-bucket
				      limit: %d
				      window: %s
				      burst: %d
				""".formatted(quoted(name), key, limit,
				text.matches("\\d+ \\w+") ? text.replace(" ", "").replace("min", "m") : window, burst);
	}

	/* In quotes everything is text. */
	private static String quoted(String text) {
		return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + '"';
	}

	/**
	 * What was observed until a moment between a quarter and the half of the time.
	 *
	 * @param nanos how long that was
	 * @param requests how many requests there were
	 * @param rejected how many would have been rejected, by burst and rate
	 */
	record Earlier(long nanos, long requests, double[] rejected) {
	}

}
