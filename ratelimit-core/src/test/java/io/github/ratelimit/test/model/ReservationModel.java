package io.github.ratelimit.test.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
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
		this.passes = passes(limit, limit.window().toNanos() / nanosPerTick);
		this.capacity = limit.capacity();
		this.maxWait = policy.maxWait().toNanos() / nanosPerTick;
		this.nanosPerTick = nanosPerTick;
	}

	private static Passes passes(RateLimit limit, long window) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET -> new TokenPasses(limit.burst(), Fraction.of(window, limit.limit()));
			case FIXED_WINDOW_COUNTER -> new WindowPasses(limit.limit(), window);
			case SLIDING_WINDOW_LOG -> new LoggedPasses(limit.limit(), window);
			case SLIDING_WINDOW_COUNTER -> new EstimatedPasses(limit.limit(), window);
			case LEAKY_BUCKET -> throw new IllegalArgumentException("It has a queue of its own: " + limit);
		};
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
	 * What is left is as much as would pass at once.
	 */
	private abstract static class OrderedPasses implements Passes {

		final List<Pass> all = new ArrayList<>();

		final long most;

		OrderedPasses(long most) {
			this.most = most;
		}

		@Override
		public void add(Fraction moment, long permits) {
			this.all.add(new Pass(moment, permits));
		}

		@Override
		public void forgetLast() {
			this.all.remove(this.all.size() - 1);
		}

		/* The moment of the last one, or the present one if that is later. */
		final long last(long now) {
			return this.all.stream().mapToLong((pass) -> pass.moment().floor()).reduce(now, Math::max);
		}

		@Override
		public long remaining(long now) {
			long low = 0;
			long high = this.most;
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
		public final Fraction alone(long now, long count) {
			return earliest(now, count);
		}

		@Override
		public final Fraction over() {
			return earliest(0, this.most);
		}

	}

	/**
	 * Between any two requests, no more pass than the burst and the tokens of the time
	 * between them.
	 */
	private static final class TokenPasses extends OrderedPasses {

		private final Fraction ticksPerToken;

		TokenPasses(long burst, Fraction ticksPerToken) {
			super(burst);
			this.ticksPerToken = ticksPerToken;
		}

		@Override
		public Fraction earliest(long now, long permits) {
			Fraction earliest = Fraction.of(now);
			long sum = permits - this.most;
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

	}

	/**
	 * In the window that ends when a request passes, no more than the limit pass.
	 */
	private static final class LoggedPasses extends OrderedPasses {

		private final long window;

		LoggedPasses(long limit, long window) {
			super(limit);
			this.window = window;
		}

		/*
		 * The first moment at which there is room is one at which a pass leaves the
		 * window, if there is none yet.
		 */
		@Override
		public Fraction earliest(long now, long permits) {
			long last = last(now);
			LongStream leaves = this.all.stream().mapToLong((pass) -> pass.moment().floor() + this.window);
			return LongStream.concat(LongStream.of(last), leaves.filter((moment) -> moment > last).sorted())
				.filter((moment) -> inWindowUntil(moment) + permits <= this.most)
				.mapToObj(Fraction::of)
				.findFirst()
				.orElseThrow();
		}

		private long inWindowUntil(long moment) {
			return this.all.stream()
				.filter((pass) -> pass.moment().floor() > moment - this.window)
				.mapToLong(Pass::permits)
				.sum();
		}

	}

	/**
	 * When a request passes, the passes of its window and the share of those of the
	 * window before are no more than the limit.
	 */
	private static final class EstimatedPasses extends OrderedPasses {

		private final long window;

		private final Map<Long, Long> counts = new HashMap<>();

		private long notBefore;

		EstimatedPasses(long limit, long window) {
			super(limit);
			this.window = window;
		}

		@Override
		public Fraction earliest(long now, long permits) {
			long earliest = Math.max(last(now), this.notBefore);
			long number = earliest / this.window;
			while (!isRoom((number + 1) * this.window - 1, permits)) {
				number++;
				earliest = number * this.window;
			}

			long low = earliest;
			long high = (number + 1) * this.window - 1;
			while (low < high) {
				long middle = low + (high - low) / 2;
				if (isRoom(middle, permits)) {
					high = middle;
				}
				else {
					low = middle + 1;
				}
			}
			return Fraction.of(low);
		}

		private boolean isRoom(long moment, long permits) {
			return estimate(moment) + permits <= this.most;
		}

		private long estimate(long moment) {
			long number = moment / this.window;
			Fraction stillCovered = Fraction.of(this.window - moment % this.window, this.window);
			return count(number) + Fraction.of(count(number - 1)).times(stillCovered).floor();
		}

		private long count(long number) {
			return this.counts.getOrDefault(number, 0L);
		}

		@Override
		public void add(Fraction moment, long permits) {
			super.add(moment, permits);
			this.counts.merge(moment.floor() / this.window, permits, Long::sum);
		}

		/*
		 * What was left of the window before stays left.
		 */
		@Override
		public void forgetLast() {
			Pass forgotten = this.all.get(this.all.size() - 1);
			long number = forgotten.moment().floor() / this.window;
			super.forgetLast();
			this.counts.merge(number, -forgotten.permits(), Long::sum);
			if (count(number) == 0) {
				this.notBefore = Math.max(this.notBefore, number * this.window);
			}
		}

		@Override
		public long remaining(long now) {
			if (Math.max(last(now), this.notBefore) > now) {
				return 0;
			}
			return this.most - estimate(now);
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
