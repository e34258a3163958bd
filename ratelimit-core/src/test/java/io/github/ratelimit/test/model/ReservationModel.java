package io.github.ratelimit.test.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * One key of a policy whose requests may wait, by definition: each passes at the first
 * moment at which the limit allows it beside all those that have passed or will, not
 * before the one in front of it; or is rejected if it had to wait for longer than it may.
 *
 * @since 0.1.0
 */
public final class ReservationModel {

	private final Passes passes;

	private final long capacity;

	private final long maxWait;

	private final long nanosPerTick;

	/**
	 * Creates the model of a key that was never seen.
	 * @param policy a policy with a longest wait
	 * @param nanosPerTick the tick of the moments
	 */
	public ReservationModel(RateLimitPolicy policy, long nanosPerTick) {
		RateLimit limit = policy.limits().get(0);
		long window = limit.window().toNanos() / nanosPerTick;
		if (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) {
			this.passes = new TokenPasses(limit.burst(), Fraction.of(window, limit.limit()));
		}
		else {
			this.passes = new WindowPasses(limit.limit(), window);
		}
		this.capacity = limit.capacity();
		this.maxWait = policy.maxWait().toNanos() / nanosPerTick;
		this.nanosPerTick = nanosPerTick;
	}

	/**
	 * Decides on a request, and notes it if it passes.
	 * @param now the moment in ticks, not before an earlier one
	 * @param permits how many permits the request costs, 0 for a look
	 * @return the decision, as {@link Decisions#describe} writes it
	 */
	public String decide(long now, long permits) {
		if (permits == 0) {
			return describe(now, true, 0);
		}
		if (permits > this.capacity) {
			return describe(now, false, RateLimitDecision.NEVER);
		}

		Fraction moment = this.passes.earliest(now, permits);
		Fraction tooLong = moment.minus(Fraction.of(now + this.maxWait));
		if (tooLong.compareTo(Fraction.ZERO) > 0) {
			return describe(now, false, tooLong.ceil());
		}
		this.passes.add(moment, permits);
		return describe(now, true, moment.minus(Fraction.of(now)).ceil());
	}

	/**
	 * How long a request of one permit would have to wait.
	 * @param now the moment in ticks, not before an earlier one
	 * @return ticks; more than the longest wait if it would be rejected
	 */
	public long delay(long now) {
		return this.passes.earliest(now, 1).minus(Fraction.of(now)).ceil();
	}

	/**
	 * Makes the last request that has passed, or will, one that never was.
	 */
	public void forgetLast() {
		this.passes.forgetLast();
	}

	private String describe(long now, boolean allowed, long wait) {
		long at = now * this.nanosPerTick;
		long remaining = this.passes.remaining(now);
		long reset = Math.max(0, this.passes.over().minus(Fraction.of(now)).ceil()) * this.nanosPerTick;
		long next = 0;
		if (reset > 0) {
			next = this.passes.alone(now, remaining + 1).minus(Fraction.of(now)).ceil() * this.nanosPerTick;
		}
		long waitNanos = (wait == RateLimitDecision.NEVER) ? wait : wait * this.nanosPerTick;
		if (allowed) {
			return Decisions.describe(RateLimitDecisions.allowed(at, remaining, waitNanos, reset, next));
		}
		return Decisions.describe(RateLimitDecisions.rejected(at, remaining, waitNanos, reset, next));
	}

	/**
	 * When requests have passed, and will.
	 */
	private interface Passes {

		/**
		 * Finds when a request passes.
		 */
		Fraction earliest(long now, long permits);

		void add(Fraction moment, long permits);

		void forgetLast();

		/**
		 * Finds how many requests of one permit would pass at once.
		 */
		long remaining(long now);

		/**
		 * Finds when so many requests of one permit would pass at once.
		 */
		Fraction alone(long now, long count);

		/**
		 * Finds when none of those that have passed matters any more.
		 */
		Fraction over();

	}

	/**
	 * Between any two requests, no more pass than the burst and the tokens of the time
	 * between them.
	 */
	private static final class TokenPasses implements Passes {

		private final long burst;

		private final Fraction ticksPerToken;

		private final List<Pass> all = new ArrayList<>();

		TokenPasses(long burst, Fraction ticksPerToken) {
			this.burst = burst;
			this.ticksPerToken = ticksPerToken;
		}

		@Override
		public Fraction earliest(long now, long permits) {
			Fraction earliest = Fraction.of(now);
			long sum = permits - this.burst;
			for (int i = this.all.size() - 1; i >= 0; i--) {
				Pass pass = this.all.get(i);
				sum += pass.permits();
				earliest = earliest.max(pass.moment());
				if (sum > 0) {
					earliest = earliest.max(pass.moment().plus(this.ticksPerToken.times(Fraction.of(sum))));
				}
			}
			return earliest;
		}

		@Override
		public void add(Fraction moment, long permits) {
			this.all.add(new Pass(moment, permits));
		}

		@Override
		public void forgetLast() {
			this.all.remove(this.all.size() - 1);
		}

		@Override
		public long remaining(long now) {
			long low = 0;
			long high = this.burst;
			while (low < high) {
				long middle = low + (high - low + 1) / 2;
				if (earliest(now, middle).compareTo(Fraction.of(now)) <= 0) {
					low = middle;
				}
				else {
					high = middle - 1;
				}
			}
			return low;
		}

		@Override
		public Fraction alone(long now, long count) {
			return earliest(now, count);
		}

		@Override
		public Fraction over() {
			return earliest(0, this.burst);
		}

	}

	/**
	 * In no window more than the limit pass.
	 */
	private static final class WindowPasses implements Passes {

		private final long limit;

		private final long window;

		private final Map<Long, Long> counts = new HashMap<>();

		private final List<Pass> all = new ArrayList<>();

		private long last = -1;

		WindowPasses(long limit, long window) {
			this.limit = limit;
			this.window = window;
		}

		private long count(long number) {
			return this.counts.getOrDefault(number, 0L);
		}

		@Override
		public Fraction earliest(long now, long permits) {
			long number = Math.max(now / this.window, this.last);
			while (count(number) + permits > this.limit) {
				number++;
			}
			return Fraction.of(Math.max(now, number * this.window));
		}

		@Override
		public void add(Fraction moment, long permits) {
			this.last = moment.floor() / this.window;
			this.counts.merge(this.last, permits, Long::sum);
			this.all.add(new Pass(moment, permits));
		}

		/*
		 * What was left of the window before stays left.
		 */
		@Override
		public void forgetLast() {
			Pass forgotten = this.all.remove(this.all.size() - 1);
			this.counts.merge(this.last, -forgotten.permits(), Long::sum);
			if (count(this.last) == 0) {
				this.last--;
				this.counts.put(this.last, this.limit);
			}
		}

		@Override
		public long remaining(long now) {
			long present = now / this.window;
			return (this.last > present) ? 0 : this.limit - count(present);
		}

		@Override
		public Fraction alone(long now, long count) {
			long number = now / this.window;
			do {
				number++;
			}
			while (this.last > number || this.limit - count(number) < count);
			return Fraction.of(number * this.window);
		}

		@Override
		public Fraction over() {
			return Fraction.of((this.last + 1) * this.window);
		}

	}

	private record Pass(Fraction moment, long permits) {
	}

}
