package io.github.ratelimit.advice;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.advice.Advice.Curve;
import io.github.ratelimit.advice.Advice.Point;
import io.github.ratelimit.advice.Advice.Suggestion;
import io.github.ratelimit.advice.ObservedTraffic.Earlier;
import io.github.ratelimit.advice.ObservedTraffic.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Makes advice of what was observed. Of all rates and bursts that would have rejected at
 * most one in 200 callers, it suggests those that let a single caller do least: the
 * permits of one window, and the burst. How many requests they reject does not matter,
 * because one caller may make most of them.
 */
record Advising(RateLimitPolicy policy, Ladder ladder, Observation observed) {

	/* One in 200. */
	private static final double MOST_CALLERS = 0.005;

	private static final int LEAST_CALLERS = 20;

	private static final int LEAST_REQUESTS = 100;

	private static final int LEAST_WINDOWS = 10;

	private static final Duration SHORTEST = Duration.ofMinutes(10);

	private static final Duration LONGEST_NEEDED = Duration.ofDays(1);

	private static final int FEW_CALLERS = 1000;

	private static final double CHANGE = 2;

	private static final double LEAST_SHARE = 0.001;

	private static final double LEFT_OUT = 0.01;

	Advice advice() {
		List<String> missing = missing();
		Integer best = missing.isEmpty() ? best() : null;
		if (missing.isEmpty() && best == null) {
			missing.add("No rate and burst that was tried would have rejected as few as 0.5 % of callers. "
					+ "Try a higher limit in shadow and restart the application: what is tried is around the limit.");
		}
		return new Advice(this.observed.since(), this.observed.time(), this.observed.callers(),
				this.observed.requests(), this.observed.sampledCallers(), curves(),
				(best != null) ? suggestion(best) : null, List.copyOf(missing));
	}

	private List<String> missing() {
		List<String> missing = new ArrayList<>();
		if (this.observed.callers() < LEAST_CALLERS) {
			missing.add(LEAST_CALLERS + " callers are needed; observed: " + this.observed.callers() + ".");
		}
		if (this.observed.requests() < LEAST_REQUESTS) {
			missing.add(LEAST_REQUESTS + " requests are needed; observed: " + this.observed.requests() + ".");
		}
		Duration needed = needed();
		if (this.observed.time().compareTo(needed) < 0) {
			missing.add("The observation must last for " + DurationText.of(needed) + "; so far: "
					+ AdviceText.time(this.observed.time()) + ".");
		}
		return missing;
	}

	private Duration needed() {
		Duration windows = Duration.ofNanos(this.ladder.window).multipliedBy(LEAST_WINDOWS);
		return Collections.min(List.of(LONGEST_NEEDED, Collections.max(List.of(SHORTEST, windows))));
	}

	private @Nullable Integer best() {
		return IntStream.range(0, Ladder.CELLS)
			.filter((cell) -> this.observed.rejectedCallers()[cell] <= MOST_CALLERS)
			.boxed()
			.min(Comparator.comparingDouble(this::most))
			.orElse(null);
	}

	/* What a caller can get in one window. */
	private double most(int cell) {
		int rate = cell % Ladder.RATES;
		return this.ladder.limits[rate] * (double) this.ladder.window / this.ladder.windows[rate]
				+ this.ladder.bursts[cell / Ladder.RATES];
	}

	private List<Curve> curves() {
		return IntStream.range(0, Ladder.RATES)
			.mapToObj((rate) -> new Curve(this.ladder.limits[rate], seconds(rate),
					IntStream.range(0, Ladder.BURSTS).mapToObj((burst) -> point(burst * Ladder.RATES + rate)).toList()))
			.toList();
	}

	private BigDecimal seconds(int rate) {
		return DurationText.seconds(Duration.ofNanos(this.ladder.windows[rate]));
	}

	private Point point(int cell) {
		return new Point(this.ladder.bursts[cell / Ladder.RATES], this.observed.rejectedCallers()[cell],
				share(this.observed.rejected()[cell], this.observed.requests()));
	}

	private static double share(double rejected, long requests) {
		return Math.min(1, rejected / Math.max(1, requests));
	}

	private Suggestion suggestion(int cell) {
		int rate = cell % Ladder.RATES;
		Duration window = Duration.ofNanos(this.ladder.windows[rate]);
		long limit = this.ladder.limits[rate];
		Point point = point(cell);
		String text = AdviceText.rate(limit, window) + ", burst " + point.burst() + ": "
				+ AdviceText.percent(point.callers()) + " of callers, " + AdviceText.percent(point.requests())
				+ " of requests; observed " + AdviceText.time(this.observed.time()) + ", "
				+ AdviceText.number(this.observed.callers()) + " callers";
		return new Suggestion(limit, seconds(rate), point.burst(), point.callers(), point.requests(), text,
				AdviceText.yaml(this.policy, limit, window, point.burst()), doubts(cell));
	}

	/* Why the figures of one rate and burst may not hold. */
	private List<String> doubts(int cell) {
		List<String> doubts = new ArrayList<>();
		if (this.observed.callers() < FEW_CALLERS) {
			doubts.add("Few callers: one of them is " + AdviceText.percent(1.0 / this.observed.callers()));
		}
		if (this.observed.time().compareTo(LONGEST_NEEDED) < 0) {
			doubts.add("Short time: less than a day, so that other hours were not observed");
		}
		addChange(doubts, cell);
		double leftOut = share(this.observed.leftOut(), this.observed.requests());
		if (leftOut > LEFT_OUT) {
			doubts.add("Not all was observed: " + AdviceText.percent(leftOut)
					+ " of requests were left out, because too many came at once");
		}
		return doubts;
	}

	private void addChange(List<String> doubts, int cell) {
		Earlier earlier = this.observed.earlier();
		long later = this.observed.requests() - earlier.requests();
		double before = earlier.requests() / Math.max(1.0, earlier.nanos());
		double after = later / Math.max(1.0, this.observed.time().toNanos() - earlier.nanos());
		if (changes(before, after)) {
			doubts.add("Changing traffic: requests come " + AdviceText.times(before, after)
					+ " in the later part of the time as in the earlier");
		}
		double shareBefore = share(earlier.rejected()[cell], earlier.requests());
		double shareAfter = share(this.observed.rejected()[cell] - earlier.rejected()[cell], later);
		if (Math.max(shareBefore, shareAfter) > LEAST_SHARE && changes(shareBefore, shareAfter)) {
			doubts.add("Changing traffic: " + AdviceText.percent(shareBefore)
					+ " of requests would have been rejected in the earlier part of the time, "
					+ AdviceText.percent(shareAfter) + " in the later");
		}
	}

	private static boolean changes(double before, double after) {
		return after > CHANGE * before || before > CHANGE * after;
	}

}
