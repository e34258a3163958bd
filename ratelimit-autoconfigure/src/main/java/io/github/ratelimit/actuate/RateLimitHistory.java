package io.github.ratelimit.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Keeps what every policy decided in the last ten minutes, in steps of five seconds. It
 * is read from what policies count anyway, so that it costs decisions nothing.
 */
final class RateLimitHistory {

	/** The length of each step, after which {@link #record} is to be called again. */
	static final Duration STEP = Duration.ofSeconds(5);

	private final Map<String, PolicyHistory> policies = new HashMap<>();

	private final StoreRateLimiterRegistry registry;

	private final RateLimitClock clock;

	private long end;

	/**
	 * Creates the history, which begins now.
	 * @param registry has the limiters whose counters are read
	 * @param clock the time of the steps
	 */
	RateLimitHistory(StoreRateLimiterRegistry registry, RateLimitClock clock) {
		this.registry = registry;
		this.clock = clock;
		this.end = clock.nanos();
	}

	/**
	 * Ends a step, or as many as have passed. A thread that is called a little early or
	 * late is taken as punctual.
	 */
	synchronized void record() {
		long step = STEP.toNanos();
		long steps = Math.floorDiv(this.clock.nanos() - this.end + step / 2, step);
		if (steps < 1) {
			return;
		}
		this.end += steps * step;
		for (StoreRateLimiter limiter : this.registry.policies()) {
			this.policies.computeIfAbsent(limiter.policy().name(), (name) -> new PolicyHistory())
				.add(limiter, (int) Math.min(steps, PolicyHistory.STEPS));
		}
	}

	synchronized HistoryDescriptor find(String policy) {
		PolicyHistory history = this.policies.getOrDefault(policy, new PolicyHistory());
		return new HistoryDescriptor(policy, STEP.toSecondsPart(), Instant.EPOCH.plusNanos(this.end),
				new HistoryDescriptor.RequestsDescriptor(history.series(0), history.series(1), history.series(2),
						history.series(3)));
	}

	/**
	 * Description of what a policy decided lately.
	 *
	 * @param policy the policy's name
	 * @param step the length of each step in seconds
	 * @param end when the last step ended
	 * @param requests the requests in each step, oldest first
	 */
	record HistoryDescriptor(String policy, int step, Instant end,
			RequestsDescriptor requests) implements OperationResponseBody {

		/**
		 * Description of requests by what became of them.
		 *
		 * @param allowed passed at once; also all that were only decided on in shadow
		 * @param delayed passed after waiting
		 * @param rejected rejected, for whatever reason
		 * @param wouldBeRejected would have been rejected by what is tried in shadow
		 */
		record RequestsDescriptor(int[] allowed, int[] delayed, int[] rejected, int[] wouldBeRejected) {
		}

	}

	/**
	 * Keeps what one policy decided lately, by how far its counters have moved.
	 */
	private static final class PolicyHistory {

		private static final int STEPS = 120;

		private static final Set<RateLimitOutcome> REJECTIONS = EnumSet.of(RateLimitOutcome.REJECTED,
				RateLimitOutcome.QUEUE_FULL, RateLimitOutcome.BANNED, RateLimitOutcome.UNAVAILABLE,
				RateLimitOutcome.EXCEEDED);

		/* Each step has the four counts of a RequestsDescriptor, in their order. */
		private final Deque<int[]> steps = new ArrayDeque<>();

		private long[] before = new long[9];

		/**
		 * Adds what was decided since the last call.
		 * @param limiter the policy's limiter
		 * @param steps how many steps have passed, from 1; nothing is known of all but
		 * the last of them
		 */
		void add(StoreRateLimiter limiter, int steps) {
			RateLimitShadow shadow = limiter.shadow();
			long[] now = Stream
				.of(counts(limiter::countEnforced), counts((outcome) -> (shadow != null) ? shadow.count(outcome) : 0),
						counts(limiter::countInformed))
				.flatMapToLong((counts) -> counts)
				.toArray();
			long[] moved = new long[now.length];
			Arrays.setAll(moved, (i) -> now[i] - this.before[i]);
			this.before = now;

			for (int i = 1; i < steps; i++) {
				push(0, 0, 0, 0);
			}
			/*
			 * Shadow limits are tried beside the policy's own. Otherwise shadow lets pass
			 * what it decides on, as a policy does that informs.
			 */
			long informed = moved[6] + moved[8];
			boolean besides = !limiter.policy().shadowLimits().isEmpty()
					&& moved[0] + moved[1] + moved[2] + informed > 0;
			long allowed = moved[0] + informed;
			if (!besides) {
				allowed += moved[3] + moved[4] + moved[5];
			}
			push(allowed, moved[1], moved[2], moved[5] + moved[8]);
		}

		/* The counts of what was allowed, delayed and rejected since the start. */
		private static LongStream counts(ToLongFunction<RateLimitOutcome> counts) {
			return LongStream.of(counts.applyAsLong(RateLimitOutcome.ALLOWED),
					counts.applyAsLong(RateLimitOutcome.DELAYED), REJECTIONS.stream().mapToLong(counts).sum());
		}

		private void push(long... values) {
			if (this.steps.size() == STEPS) {
				this.steps.removeFirst();
			}
			this.steps.addLast(LongStream.of(values)
				.mapToInt((value) -> (int) Math.max(0, Math.min(value, Integer.MAX_VALUE)))
				.toArray());
		}

		private int[] series(int index) {
			return this.steps.stream().mapToInt((step) -> step[index]).toArray();
		}

	}

}
