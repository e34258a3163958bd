package io.github.ratelimit.actuate;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.policy.StoreRateLimiter;

/**
 * Keeps what one policy decided lately, by how far its counters have moved: the last
 * steps by outcome, and the last minutes by what a chart shows.
 */
final class PolicyHistory {

	/** How many steps are kept. */
	static final int STEPS = 120;

	/** How many minutes are kept. */
	static final int MINUTES = 60;

	private static final RateLimitOutcome[] OUTCOMES = RateLimitOutcome.values();

	/* It follows the outcomes. */
	private static final int WOULD_BE_REJECTED = OUTCOMES.length;

	private static final Set<RateLimitOutcome> REJECTIONS = EnumSet.of(RateLimitOutcome.REJECTED,
			RateLimitOutcome.QUEUE_FULL, RateLimitOutcome.BANNED, RateLimitOutcome.UNAVAILABLE);

	private final CountSeries steps = new CountSeries(STEPS, OUTCOMES.length + 1);

	private final CountSeries minutes = new CountSeries(MINUTES, Shown.values().length);

	private final long[] minute = new long[Shown.values().length];

	private long[] enforcedBefore = new long[OUTCOMES.length];

	private long[] informedBefore = new long[OUTCOMES.length];

	private long[] triedBefore = new long[OUTCOMES.length];

	/**
	 * Adds a step in which nothing was decided, or nothing is known of it.
	 */
	void skip() {
		this.steps.add(new long[OUTCOMES.length + 1]);
	}

	/**
	 * Adds the step that ends now.
	 * @param limiter the policy's limiter
	 */
	void add(StoreRateLimiter limiter) {
		RateLimitShadow shadow = limiter.shadow();
		long[] enforced = counts(limiter::countEnforced);
		long[] informed = counts(limiter::countInformed);
		long[] tried = (shadow != null) ? counts(shadow::count) : new long[OUTCOMES.length];

		long[] step = step(limiter, moved(enforced, this.enforcedBefore), moved(informed, this.informedBefore),
				moved(tried, this.triedBefore));
		this.enforcedBefore = enforced;
		this.informedBefore = informed;
		this.triedBefore = tried;

		this.steps.add(step);
		for (Shown shown : Shown.values()) {
			this.minute[shown.ordinal()] += shown.of(step);
		}
	}

	/**
	 * Ends a minute.
	 */
	void endMinute() {
		this.minutes.add(this.minute);
		Arrays.fill(this.minute, 0);
	}

	private static long[] counts(ToLongFunction<RateLimitOutcome> count) {
		return Arrays.stream(OUTCOMES).mapToLong(count).toArray();
	}

	private static long[] moved(long[] now, long[] before) {
		long[] moved = new long[now.length];
		Arrays.setAll(moved, (i) -> now[i] - before[i]);
		return moved;
	}

	/*
	 * Shadow limits are tried beside the policy's own. Otherwise shadow lets pass what it
	 * decides on, as a policy does that informs.
	 */
	private static long[] step(StoreRateLimiter limiter, long[] enforced, long[] informed, long[] tried) {
		long[] step = Arrays.copyOf(enforced, enforced.length + 1);
		step[WOULD_BE_REJECTED] = rejected(tried) + rejected(informed) + informed[RateLimitOutcome.EXCEEDED.ordinal()];
		for (RateLimitOutcome outcome : OUTCOMES) {
			RateLimitOutcome became = REJECTIONS.contains(outcome) ? RateLimitOutcome.ALLOWED : outcome;
			step[became.ordinal()] += informed[outcome.ordinal()];
		}

		long decided = Arrays.stream(enforced).sum() + Arrays.stream(informed).sum();
		boolean isBeside = !limiter.policy().shadowLimits().isEmpty() && decided > 0;
		if (!isBeside) {
			step[RateLimitOutcome.ALLOWED.ordinal()] += Arrays.stream(tried).sum();
		}
		return step;
	}

	private static long rejected(long[] counts) {
		return REJECTIONS.stream().mapToLong((outcome) -> counts[outcome.ordinal()]).sum();
	}

	/**
	 * What became of the requests of each step that is kept, oldest first.
	 */
	int[] steps(Shown shown) {
		return this.steps.values(shown::of);
	}

	/**
	 * What became of the requests of each minute that is kept, oldest first.
	 */
	int[] minutes(Shown shown) {
		return this.minutes.values((minute) -> minute[shown.ordinal()]);
	}

	/**
	 * What became of the requests of all steps that are kept together.
	 * @return the number of requests by outcome, and {@code wouldBeRejected}
	 */
	Map<String, Long> recent() {
		Map<String, Long> recent = new TreeMap<>();
		for (RateLimitOutcome outcome : OUTCOMES) {
			recent.put(outcome.id(), this.steps.sum(outcome.ordinal()));
		}
		recent.put(Shown.WOULD_BE_REJECTED.id(), this.steps.sum(WOULD_BE_REJECTED));
		return recent;
	}

	/**
	 * The curves of a chart.
	 */
	enum Shown {

		/** Passed at once. */
		ALLOWED,

		/** Passed after waiting. */
		DELAYED,

		/** Rejected, for whatever reason. */
		REJECTED,

		/** Would have been rejected by what is tried in shadow, or only informs. */
		WOULD_BE_REJECTED;

		private long of(long[] step) {
			return switch (this) {
				case ALLOWED -> step[RateLimitOutcome.ALLOWED.ordinal()] + step[RateLimitOutcome.EXCEEDED.ordinal()];
				case DELAYED -> step[RateLimitOutcome.DELAYED.ordinal()];
				case REJECTED -> rejected(step);
				case WOULD_BE_REJECTED -> step[PolicyHistory.WOULD_BE_REJECTED];
			};
		}

		String id() {
			return switch (this) {
				case ALLOWED -> "allowed";
				case DELAYED -> "delayed";
				case REJECTED -> "rejected";
				case WOULD_BE_REJECTED -> "wouldBeRejected";
			};
		}

	}

}
