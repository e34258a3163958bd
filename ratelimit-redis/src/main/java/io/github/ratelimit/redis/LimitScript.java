package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.ExactRate;
import io.github.ratelimit.algorithm.FixedWindowCounter;
import io.github.ratelimit.algorithm.SlidingEstimate;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * One limit's part in its policy's scripts: the files that decide on it, their numbers,
 * and the reading of their answer.
 */
abstract class LimitScript {

	/**
	 * The sections that the files of each limit have between them. Those that some limits
	 * have besides are {@code reject}, {@code explain}, {@code explain_apart} and
	 * {@code expire}.
	 */
	static final List<String> SECTIONS = List.of("numbers", "variables", "load", "admits", "passes", "can_pass", "take",
			"charge", "refuse", "lasts", "state", "answer", "refund-permits");

	private static final long NANOS_PER_MICRO = 1000;

	private static final RateLimitClock CLOCK = RateLimitClock.system();

	final RateLimit limit;

	final long capacity;

	/**
	 * The window in microseconds.
	 */
	final long window;

	/**
	 * Whether it is charged by outcome, and so may come to owe as much again as its
	 * capacity.
	 */
	final boolean charged;

	/**
	 * The kind of its stored state.
	 */
	final Kind kind;

	/**
	 * The names of the files. A section in a later one stands for that in an earlier one.
	 */
	final List<String> files;

	/**
	 * Creates a limit's part.
	 * @param limit the limit
	 * @param charged whether it is charged by outcome, and so may come to owe as much
	 * again as its capacity
	 * @param kind the kind of its stored state
	 * @param files the names of the files. A section in a later one stands for that in an
	 * earlier one
	 */
	LimitScript(RateLimit limit, boolean charged, Kind kind, List<String> files) {
		this.limit = limit;
		this.capacity = limit.capacity();
		this.window = micros(limit.window().toNanos());
		this.charged = charged;
		this.kind = kind;
		this.files = files;
	}

	/**
	 * Creates the part of a limit that reserves permits for requests which would be
	 * allowed within a time.
	 */
	static LimitScript reserving(RateLimit limit, Duration maxWait) {
		if (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) {
			return new BucketScript(limit, maxWait);
		}
		return new ReservingWindowScript(limit, maxWait);
	}

	static LimitScript of(RateLimit limit, boolean charged) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> new BucketScript(limit, charged);
			case FIXED_WINDOW_COUNTER -> fixedWindow(limit, charged);
			case SLIDING_WINDOW_COUNTER -> new SlidingWindowScript(limit, charged);
			case SLIDING_WINDOW_LOG -> new LogScript(limit, charged);
		};
	}

	private static LimitScript fixedWindow(RateLimit limit, boolean charged) {
		CalendarWindow calendar = limit.calendar();
		if (calendar == null) {
			return new FixedWindowScript(limit, charged, List.of("fixed-window-counter.lua"));
		}
		return new CalendarWindowScript(limit, calendar, charged, micros(CLOCK.nanos()));
	}

	/**
	 * Returns the most that may be taken, in the numbers that the files name: all there
	 * is, and of a limit that is charged by outcome as much again.
	 */
	final String maxTaken() {
		return this.charged ? "2 * " + full() : full();
	}

	/**
	 * Returns the number that the files name for all there is.
	 */
	String full() {
		return "capacity_n";
	}

	/**
	 * Returns the arguments, in the order of the {@code numbers} of the last file that
	 * has some.
	 * @param most the most permits that can pass all limits of the policy at once
	 * @param withoutDelay whether the request cannot wait
	 */
	List<Long> numbers(long most, boolean withoutDelay) {
		return List.of(this.window, this.capacity);
	}

	/**
	 * Returns the limit with its numbers for a moment.
	 * @param now microseconds since the epoch
	 * @return this one if its numbers are for that
	 */
	LimitScript at(long now) {
		return this;
	}

	/**
	 * Whether how many requests alike pass is arithmetic, so that they can share a call.
	 */
	boolean joins() {
		return true;
	}

	/**
	 * Whether the limit keeps a log, which is a key of its own.
	 */
	boolean keepsLog() {
		return false;
	}

	/**
	 * Reads a decision.
	 * @param answer where the limit's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost, 0 for a look
	 * @param behind how many permits those behind the request have taken before the
	 * answer
	 * @param agrees whether the limit lets the request pass
	 * @param withoutDelay whether it is the decision on a request that cannot wait
	 */
	abstract RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay);

	/**
	 * Returns how long a request would have to wait that was rejected because it cannot.
	 * Leaves the answer where it is.
	 * @param answer where the limit's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost
	 * @return nanoseconds, or 0 if the limit rejects the request anyway
	 */
	long delayNanos(ByteBuffer answer, long now, long permits) {
		return 0;
	}

	/**
	 * Wraps bytes that a script packs or unpacks.
	 */
	static ByteBuffer buffer(byte[] bytes) {
		return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
	}

	/**
	 * Reads the next number, and moves the answer behind it.
	 */
	static long readNumber(ByteBuffer answer) {
		return (long) answer.getDouble();
	}

	static long micros(long nanos) {
		return nanos / NANOS_PER_MICRO;
	}

	static long nanos(long micros) {
		return micros * NANOS_PER_MICRO;
	}

	/**
	 * The kinds of stored states. Each is named by the letter that its states begin with.
	 */
	enum Kind {

		/** Sliding window counter. */
		C(5),

		/** Fixed window counter. */
		F(4),

		/** Sliding window log. */
		G(6),

		/** Leaky bucket. */
		L(4),

		/** Token bucket. */
		T(4);

		/** How many bytes a state takes: the letter, and numbers. */
		final int size;

		Kind(int numbers) {
			this.size = 1 + numbers * Double.BYTES;
		}

		int letter() {
			return name().charAt(0);
		}

		/**
		 * Returns all letters.
		 */
		static String letters() {
			return Stream.of(values()).map(Kind::name).collect(Collectors.joining());
		}

		/**
		 * Returns what finds the size in a script, given the letter.
		 */
		static String sizes() {
			return Stream.of(values())
				.map((kind) -> "(letter == '" + kind + "' and " + kind.size + ")")
				.collect(Collectors.joining(" or "));
		}

	}

	/**
	 * The token bucket and the leaky bucket.
	 */
	private static final class BucketScript extends LimitScript {

		private static final double MAX_RATE_ERROR = 0.001;

		private final WordAlgorithm algorithm;

		private final WordAlgorithm withoutDelays;

		private final ExactRate rate;

		/* The time in microseconds whose permits can be reserved. */
		private final long maxWait;

		BucketScript(RateLimit limit, boolean charged) {
			this(limit, charged, Duration.ZERO, files(limit),
					(WordAlgorithm) Algorithm.of(limit, Tick.MICROSECOND, charged));
		}

		BucketScript(RateLimit limit, Duration maxWait) {
			this(limit, false, maxWait, List.of("meter.lua", "queue.lua", "reserving-bucket.lua"),
					Algorithm.reserving(limit, Tick.MICROSECOND, maxWait));
		}

		private BucketScript(RateLimit limit, boolean charged, Duration maxWait, List<String> files,
				WordAlgorithm algorithm) {
			super(limit, charged, kind(limit), files);
			this.algorithm = algorithm;
			this.withoutDelays = (WordAlgorithm) algorithm.withoutDelays();
			this.rate = rate(limit, charged, maxWait);
			this.maxWait = micros(maxWait.toNanos());
		}

		private static Kind kind(RateLimit limit) {
			return (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) ? Kind.T : Kind.L;
		}

		private static List<String> files(RateLimit limit) {
			if (limit.delays()) {
				return List.of("meter.lua", "queue.lua");
			}
			return List.of("meter.lua");
		}

		private static ExactRate rate(RateLimit limit, boolean charged, Duration maxWait) {
			ExactRate rate = ExactRate.of(limit, Tick.MICROSECOND, charged, maxWait);
			double counted = (double) rate.scale() / rate.cost();
			double asked = (double) limit.limit() / micros(limit.window().toNanos());
			if (1 - counted / asked > MAX_RATE_ERROR) {
				throw new InvalidRateLimitException("burst", limit.burst(),
						"is too large to be counted exactly in Redis beside a limit of " + limit.limit() + " per "
								+ limit.window(),
						"Use a smaller burst, or a limit that divides the window's microseconds, such as a round number.");
			}
			return rate;
		}

		@Override
		String full() {
			return "full_n";
		}

		@Override
		List<Long> numbers(long most, boolean withoutDelay) {
			long scale = this.rate.scale();
			long cost = this.rate.cost();
			long full = this.capacity * cost;
			if (this.maxWait > 0) {
				return reservingNumbers(withoutDelay);
			}
			if (!this.limit.delays()) {
				return List.of(scale, cost, full);
			}

			long admitted = full;
			if (withoutDelay) {
				admitted = (this.limit.delay() + 1) * cost;
			}
			return List.of(scale, cost, full, admitted);
		}

		private List<Long> reservingNumbers(boolean withoutDelay) {
			long scale = this.rate.scale();
			long cost = this.rate.cost();
			long atOnce = this.capacity * cost;
			long reserved = atOnce + this.maxWait * scale;
			if (withoutDelay) {
				return List.of(scale, cost, reserved, atOnce, this.capacity);
			}
			return List.of(scale, cost, reserved, reserved, this.capacity);
		}

		@Override
		RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
				boolean withoutDelay) {
			WordAlgorithm algorithm = withoutDelay ? this.withoutDelays : this.algorithm;
			long base = readNumber(answer);
			long word = readNumber(answer) - behind * this.rate.cost();
			return algorithm.decision(base, word, now, permits, agrees, null);
		}

		@Override
		long delayNanos(ByteBuffer answer, long now, long permits) {
			ByteBuffer part = answer.duplicate().order(answer.order());
			long base = readNumber(part);
			long word = readNumber(part);
			long taken = this.algorithm.take(base, word, now, permits);
			if (taken == WordAlgorithm.REJECTED) {
				return 0;
			}
			return this.algorithm.decision(base, taken, now, permits, true, null).delayNanos();
		}

	}

	/**
	 * The fixed window counter. A count under a former, higher limit may exceed this one,
	 * and so may one that owes.
	 */
	private static class FixedWindowScript extends LimitScript {

		private final FixedWindowCounter algorithm;

		FixedWindowScript(RateLimit limit, boolean charged, List<String> files) {
			super(limit, charged, Kind.F, files);
			this.algorithm = (FixedWindowCounter) Algorithm.of(limit, Tick.MICROSECOND, charged);
		}

		@Override
		final RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
				boolean withoutDelay) {
			long end = readEnd(answer);
			long count = readNumber(answer) - behind;
			return this.algorithm.explain(now, end, Math.min(count, this.capacity), permits, agrees, null);
		}

		long readEnd(ByteBuffer answer) {
			long index = readNumber(answer);
			return (index + 1) * this.window;
		}

	}

	/**
	 * The fixed window counter whose requests may wait for a later window.
	 */
	private static final class ReservingWindowScript extends LimitScript {

		private final FixedWindowCounter algorithm;

		private final FixedWindowCounter withoutDelays;

		private final long maxWait;

		ReservingWindowScript(RateLimit limit, Duration maxWait) {
			super(limit, false, Kind.F, List.of("fixed-window-counter.lua", "reserving-window-counter.lua"));
			this.algorithm = (FixedWindowCounter) Algorithm.reserving(limit, Tick.MICROSECOND, maxWait);
			this.withoutDelays = (FixedWindowCounter) this.algorithm.withoutDelays();
			this.maxWait = micros(maxWait.toNanos());
		}

		@Override
		boolean joins() {
			return false;
		}

		@Override
		List<Long> numbers(long most, boolean withoutDelay) {
			if (withoutDelay) {
				return List.of(this.window, this.capacity, this.maxWait, 0L);
			}
			return List.of(this.window, this.capacity, this.maxWait, this.maxWait);
		}

		@Override
		RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
				boolean withoutDelay) {
			FixedWindowCounter algorithm = withoutDelay ? this.withoutDelays : this.algorithm;
			return algorithm.decision(0, readWord(answer), now, permits, agrees, null);
		}

		@Override
		long delayNanos(ByteBuffer answer, long now, long permits) {
			long word = readWord(answer.duplicate().order(answer.order()));
			long taken = this.algorithm.take(0, word, now, permits);
			if (taken == WordAlgorithm.REJECTED) {
				return 0;
			}
			return this.algorithm.decision(0, taken, now, permits, true, null).delayNanos();
		}

		private long readWord(ByteBuffer answer) {
			long index = readNumber(answer);
			return this.algorithm.word(index, readNumber(answer));
		}

	}

	/**
	 * The fixed window counter in the windows of a calendar, of which the script gets
	 * three: the one that a moment lies in, and those before and after it.
	 */
	private static final class CalendarWindowScript extends FixedWindowScript {

		private final CalendarWindow windows;

		private final long begin;

		private final long end;

		CalendarWindowScript(RateLimit limit, CalendarWindow windows, boolean charged, long now) {
			super(limit, charged, List.of("fixed-window-counter.lua", "calendar-window-counter.lua"));
			this.windows = windows;
			this.begin = start(now);
			this.end = end(now);
		}

		private long start(long micros) {
			return Tick.MICROSECOND.ticks(this.windows.start(Tick.MICROSECOND.instant(micros)));
		}

		private long end(long micros) {
			return Tick.MICROSECOND.ticks(this.windows.end(Tick.MICROSECOND.instant(micros)));
		}

		@Override
		LimitScript at(long now) {
			if (now >= this.begin && now < this.end) {
				return this;
			}
			return new CalendarWindowScript(this.limit, this.windows, this.charged, now);
		}

		@Override
		List<Long> numbers(long most, boolean withoutDelay) {
			return List.of(start(this.begin - 1), this.begin, this.end, end(this.end), this.capacity,
					(long) this.windows.toString().hashCode());
		}

		@Override
		long readEnd(ByteBuffer answer) {
			return readNumber(answer);
		}

	}

	/**
	 * The sliding window counter.
	 */
	private static final class SlidingWindowScript extends LimitScript {

		private final SlidingEstimate estimate;

		SlidingWindowScript(RateLimit limit, boolean charged) {
			super(limit, charged, Kind.C, List.of("sliding-window-counter.lua"));
			this.estimate = new SlidingEstimate(limit, Tick.MICROSECOND);
		}

		@Override
		RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
				boolean withoutDelay) {
			long index = readNumber(answer);
			long current = readNumber(answer) - behind;
			long previous = readNumber(answer);
			return this.estimate.explain(now, index * this.window, current, previous, permits, agrees, null);
		}

	}

	/**
	 * The sliding window log, whose time stamps stay in Redis.
	 */
	private static final class LogScript extends LimitScript {

		LogScript(RateLimit limit, boolean charged) {
			super(limit, charged, Kind.G, files(limit, charged));
		}

		private static List<String> files(RateLimit limit, boolean charged) {
			List<String> files = new ArrayList<>(List.of("sliding-window-log.lua"));
			if (limit.countRejected()) {
				files.add("count-rejected.lua");
			}
			if (charged) {
				files.add("log-in-debt.lua");
			}
			return files;
		}

		@Override
		boolean keepsLog() {
			return true;
		}

		@Override
		List<Long> numbers(long most, boolean withoutDelay) {
			if (this.limit.countRejected()) {
				return List.of(this.window, this.capacity, most);
			}
			return super.numbers(most, withoutDelay);
		}

		@Override
		RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
				boolean withoutDelay) {
			long count = readNumber(answer) - behind;
			long oldest = readNumber(answer);
			long newest = readNumber(answer);
			long decisive = readNumber(answer);
			long remaining = Math.max(0, this.capacity - count);
			long next = untilExpired(oldest, count, now);
			long reset = untilExpired(newest, count, now);

			if (agrees) {
				return RateLimitDecisions.allowed(nanos(now), remaining, 0, reset, next);
			}
			long retryAfter = RateLimitDecision.NEVER;
			if (permits <= this.capacity) {
				// the request passes once this stamp has expired
				retryAfter = untilExpired(decisive, count, now);
			}
			return RateLimitDecisions.rejected(nanos(now), remaining, retryAfter, reset, next);
		}

		private long untilExpired(long stamp, long count, long now) {
			return (count > 0) ? nanos(stamp + this.window - now) : 0;
		}

	}

}
