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
 * Computes advice from what was observed. Of all rates and bursts that would have
 * rejected at most one in 200 callers, it suggests those that let a single caller do
 * least: the permits of one window, and the burst. How many requests they reject does not
 * matter, because one caller may make most of them.
 *
 * @param policy the policy that is advised
 * @param grid the rates and bursts that were tried
 * @param since when the observation began
 * @param time for how long it has lasted
 * @param requests how many requests there were
 * @param sample what the sample of their callers says
 * @param earlier what was observed in the first part of the time
 */
record AdviceCalculation(RateLimitPolicy policy, CandidateGrid grid, Instant since, Duration time, Requests requests,
		CallerSample.Summary sample, Earlier earlier) {

	/* One in 200. */
	private static final double MAX_REJECTED_CALLERS = 0.005;

	private static final int MIN_CALLERS = 20;

	private static final int MIN_REQUESTS = 100;

	private static final int MIN_WINDOWS = 10;

	/** The shortest time after which anything is suggested. */
	static final Duration MIN_TIME = Duration.ofMinutes(10);

	private static final Duration MAX_TIME_NEEDED = Duration.ofDays(1);

	private static final int FEW_CALLERS = 1000;

	private static final double MIN_CHANGE = 2;

	private static final double MAX_TIMES = 1000;

	private static final double MIN_SHARE = 0.001;

	private static final double MAX_LEFT_OUT = 0.01;

	private static final double MIN_SHARE_OF_BUSIEST_CALLER = 0.5;

	Advice advice() {
		Suggestion suggestion = null;
		List<String> missing = missing();
		if (missing.isEmpty()) {
			suggestion = suggestion();
			if (suggestion == null) {
				missing
					.add("Of the rates and bursts that were tried, none that can be configured would have rejected as "
							+ "few as " + percent(MAX_REJECTED_CALLERS) + " of callers. "
							+ "Try a higher limit in shadow and restart the application: what is tried is around the limit.");
			}
		}

		List<Curve> curves = IntStream.range(0, CandidateGrid.RATES).mapToObj(this::curve).toList();
		return new Advice(this.since, this.time, this.sample.callers(), this.requests.all(), this.sample.measured(),
				curves, suggestion, List.copyOf(missing), notes());
	}

	private List<String> notes() {
		double share = share(this.sample.mostOfOneCaller(), this.requests.all());
		if (this.requests.all() < MIN_REQUESTS || share < MIN_SHARE_OF_BUSIEST_CALLER) {
			return List.of();
		}
		return List.of("One caller makes " + percent(share)
				+ " of requests, so that shares of requests say most of what would become of it alone.");
	}

	private List<String> missing() {
		List<String> missing = new ArrayList<>();
		if (this.sample.callers() < MIN_CALLERS) {
			missing.add(MIN_CALLERS + " callers are needed; observed: " + this.sample.callers() + ".");
		}
		if (this.requests.all() < MIN_REQUESTS) {
			missing.add(MIN_REQUESTS + " requests are needed; observed: " + this.requests.all() + ".");
		}

		Duration windows = Duration.ofNanos(this.grid.window).multipliedBy(MIN_WINDOWS);
		Duration needed = Collections.min(List.of(MAX_TIME_NEEDED, Collections.max(List.of(MIN_TIME, windows))));
		if (this.time.compareTo(needed) < 0) {
			missing
				.add("The observation must last for " + DurationText.of(needed) + "; so far: " + observedTime() + ".");
		}
		return missing;
	}

	private Curve curve(int rate) {
		return new Curve(this.grid.limits[rate], seconds(rate),
				IntStream.range(0, CandidateGrid.BURSTS)
					.mapToObj((burst) -> point(burst * CandidateGrid.RATES + rate))
					.toList());
	}

	private BigDecimal seconds(int rate) {
		return DurationText.seconds(Duration.ofNanos(this.grid.windows[rate]));
	}

	private Point point(int cell) {
		return new Point(this.grid.bursts[cell / CandidateGrid.RATES], this.sample.rejectedCallers()[cell],
				share(this.sample.rejectedRequests()[cell], this.requests.all()));
	}

	private static double share(double rejected, long requests) {
		return Math.min(1, Math.max(0, rejected) / Math.max(1, requests));
	}

	private @Nullable Suggestion suggestion() {
		return IntStream.range(0, CandidateGrid.CELLS)
			.filter(this.grid::canBeConfigured)
			.filter((cell) -> this.sample.rejectedCallers()[cell] <= MAX_REJECTED_CALLERS)
			.boxed()
			.min(Comparator.comparingDouble(this::most))
			.map(this::describe)
			.orElse(null);
	}

	/* The permits that a caller can get in one window. */
	private double most(int cell) {
		int rate = cell % CandidateGrid.RATES;
		return this.grid.limits[rate] * (double) this.grid.window / this.grid.windows[rate]
				+ this.grid.bursts[cell / CandidateGrid.RATES];
	}

	private Suggestion describe(int cell) {
		int rate = cell % CandidateGrid.RATES;
		Duration window = Duration.ofNanos(this.grid.windows[rate]);
		long limit = this.grid.limits[rate];
		Point point = point(cell);
		return new Suggestion(limit, seconds(rate), point.burst(), point.callers(), point.requests(),
				summary(limit, window, point), yaml(limit, window, point.burst()), doubts(cell));
	}

	private String summary(long limit, Duration window, Point point) {
		return number(limit) + " per " + DurationText.of(window) + ", burst " + number(point.burst()) + ": "
				+ percent(point.callers()) + " of callers, " + percent(point.requests()) + " of requests; observed "
				+ observedTime() + ", " + number(this.sample.callers()) + " callers";
	}

	/* Why the figures of one rate and burst may not hold. */
	private List<String> doubts(int cell) {
		List<String> doubts = new ArrayList<>();
		if (this.sample.callers() < FEW_CALLERS) {
			doubts.add("Few callers: one of them is " + percent(1.0 / this.sample.callers()));
		}
		if (this.time.compareTo(MAX_TIME_NEEDED) < 0) {
			doubts.add("Short time: less than a day, so that other hours were not observed");
		}
		addChange(doubts, cell);

		double leftOut = share(this.requests.leftOut(), this.requests.all());
		if (leftOut > MAX_LEFT_OUT) {
			doubts.add("Not all was observed: " + percent(leftOut)
					+ " of requests were left out, because too many came at once");
		}
		return doubts;
	}

	/*
	 * Rejections come late where the time is short for the window, because buckets are
	 * full at first.
	 */
	private void addChange(List<String> doubts, int cell) {
		if (this.earlier.nanos() == 0) {
			return;
		}

		long later = this.requests.all() - this.earlier.requests();
		double before = (double) this.earlier.requests() / this.earlier.nanos();
		double after = later / Math.max(1.0, this.time.toNanos() - this.earlier.nanos());
		double rejectedBefore = share(this.earlier.rejected()[cell], this.earlier.requests());
		double rejectedAfter = share(this.sample.rejectedRequests()[cell] - this.earlier.rejected()[cell], later);
		boolean rejectionsCount = this.earlier.nanos() >= this.grid.window
				&& Math.max(rejectedBefore, rejectedAfter) > MIN_SHARE;

		if (changes(before, after) || (rejectionsCount && changes(rejectedBefore, rejectedAfter))) {
			doubts.add("Changing traffic: in the later part of the time, requests come "
					+ digits(Math.min(MAX_TIMES, after / before)) + " times as often, and " + percent(rejectedAfter)
					+ " of them would have been rejected in place of " + percent(rejectedBefore));
		}
	}

	private static boolean changes(double before, double after) {
		return Math.max(before, after) > MIN_CHANGE * Math.min(before, after);
	}

	private static String number(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

	private static String percent(double share) {
		if (share > 0 && share < 0.0001) {
			return "less than 0.01 %";
		}
		return digits(share * 100) + " %";
	}

	/* There are two digits, as more would not be known. */
	private static String digits(double number) {
		return BigDecimal.valueOf(number).round(new MathContext(2)).stripTrailingZeros().toPlainString();
	}

	/* The time is given in its largest unit, such as 3 d. */
	private String observedTime() {
		return DurationText.of(this.time.truncatedTo(ChronoUnit.SECONDS)).replaceFirst("^(\\S+ \\S+) .*", "$1");
	}

	/* The limit as a configuration file has it. */
	private String yaml(long limit, Duration window, long burst) {
		String name = this.policy.name();
		if (!name.matches("[-a-z0-9]*")) {
			name = "[" + name + "]";
		}
		String head = """
				ratelimit:
				  policies:
				    %s:
				      mode: shadow # rejects nobody until it is removed
				""".formatted(quoted(name));
		String key = "";
		if (this.policy.key() != null) {
			key = "      key: " + quoted(this.policy.key()) + "\n";
		}
		String numbers = """
				      algorithm: token-bucket
				      limit: %d
				      window: %s
				      burst: %d
				""".formatted(limit, written(window), burst);
		return head + key + numbers;
	}

	/* A duration of several units is written as ISO 8601 has it. */
	private static String written(Duration window) {
		String text = DurationText.of(window);
		if (text.matches("\\d+ \\w+")) {
			return text.replace(" ", "").replace("min", "m");
		}
		return window.toString();
	}

	/* Everything in quotes is text. */
	private static String quoted(String text) {
		return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + '"';
	}

	/**
	 * The number of requests.
	 *
	 * @param all how many there were
	 * @param leftOut how many of them were only counted
	 */
	record Requests(long all, long leftOut) {
	}

	/**
	 * What was observed until a moment between a quarter and the half of the time.
	 *
	 * @param nanos how long that was; 0 while it is too early to tell
	 * @param requests how many requests there were
	 * @param rejected how many would have been rejected, by burst and rate
	 */
	record Earlier(long nanos, long requests, double[] rejected) {
	}

}
