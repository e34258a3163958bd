package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one limit, given the state of one key and a moment.
 * <p>
 * The state is a run of words in an array that the store owns and may share between the
 * limits of a policy: the algorithm's part begins at index {@code at}. The algorithm
 * itself has no state. Methods that only read may be called while another thread changes
 * the words: they return, with a meaningless answer, and the caller must check afterwards
 * that the words have not changed.
 * <p>
 * Moments are ticks since the epoch. A moment before one that the state has seen neither
 * gives nor takes permits.
 *
 * @since 0.1.0
 */
public abstract sealed class Algorithm
		permits WordAlgorithm, WideSlidingWindowCounter, SlidingWindowLog, CompositeAlgorithm {

	/* It lies before the epoch in either tick, so that no state is older. */
	private static final long NEVER_TAKEN = -1_000_000;

	/* The algorithm of a single limit, or null for several. */
	private final @Nullable RateLimitAlgorithm kind;

	final Tick resolution;

	final long capacity;

	Algorithm(@Nullable RateLimitAlgorithm kind, long capacity, Tick resolution) {
		this.kind = kind;
		this.resolution = resolution;
		this.capacity = capacity;
	}

	/**
	 * Prepares the algorithm of a policy's limits, with room for debts if the policy is
	 * charged by outcome.
	 * @param policy the policy
	 * @param resolution the tick that moments are given in
	 * @return the algorithm, for any number of keys and threads
	 */
	public static Algorithm of(RateLimitPolicy policy, Tick resolution) {
		if (policy.maxWait().isZero()) {
			return of(policy.limits(), resolution, policy.charge() != null);
		}
		return reserving(policy.limits().get(0), resolution, policy.maxWait());
	}

	/**
	 * Checks that no log of a policy becomes too heavy for a store, as one of very many
	 * permits would.
	 * @param policy the policy, with limits of any algorithm
	 * @throws InvalidRateLimitException if the log of a key could take more than 1 MiB
	 */
	public static void checkSize(RateLimitPolicy policy) {
		LogSize.check(policy);
	}

	private static Algorithm of(List<RateLimit> limits, Tick resolution, boolean debts) {
		Algorithm first = of(limits.get(0), resolution, debts);
		if (limits.size() == 1) {
			return first;
		}
		Algorithm rest = of(limits.subList(1, limits.size()), resolution, debts);
		return new CompositeAlgorithm(first, rest, resolution);
	}

	/**
	 * Prepares a limit's algorithm.
	 * @param limit the limit
	 * @param resolution the tick that moments are given in
	 * @param debts whether {@link #charge} may take what is not there, up to one more
	 * capacity
	 * @return the algorithm, for any number of keys and threads
	 */
	public static Algorithm of(RateLimit limit, Tick resolution, boolean debts) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> new Bucket(limit, resolution, debts, Duration.ZERO);
			case FIXED_WINDOW_COUNTER -> new FixedWindowCounter(limit, resolution, debts);
			case SLIDING_WINDOW_LOG -> new SlidingWindowLog(limit, resolution, debts);
			case SLIDING_WINDOW_COUNTER -> slidingWindowCounter(limit, resolution, debts);
		};
	}

	/**
	 * Prepares the algorithm of a limit that reserves permits for requests which would be
	 * allowed within a time.
	 * @param limit a limit of any algorithm but the leaky bucket, which has a queue
	 * @param resolution the tick that moments are given in
	 * @param maxWait the longest that a request waits
	 * @return the algorithm, for any number of keys and threads
	 */
	public static Algorithm reserving(RateLimit limit, Tick resolution, Duration maxWait) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET -> new Bucket(limit, resolution, false, maxWait);
			case FIXED_WINDOW_COUNTER -> new ReservingWindowCounter(limit, resolution, maxWait);
			case SLIDING_WINDOW_LOG -> new ReservingSlidingWindowLog(limit, resolution, maxWait);
			case SLIDING_WINDOW_COUNTER -> new ReservingSlidingWindowCounter(limit, resolution, maxWait);
			case LEAKY_BUCKET -> throw new IllegalArgumentException("No permit can be reserved: " + limit);
		};
	}

	private static Algorithm slidingWindowCounter(RateLimit limit, Tick resolution, boolean debts) {
		if (SlidingWindowCounter.fits(limit, debts)) {
			return new SlidingWindowCounter(limit, resolution, debts);
		}
		return new WideSlidingWindowCounter(limit, resolution, debts);
	}

	/**
	 * The most permits of a limit that can be taken: with debts, one more capacity than
	 * can pass.
	 */
	static long maxTaken(RateLimit limit, boolean debts) {
		return debts ? 2 * limit.capacity() : limit.capacity();
	}

	/**
	 * The algorithm for requests that cannot wait, on the same state: it rejects requests
	 * that this one admits after a delay.
	 * @return an algorithm without delays; this one if it has none
	 */
	public Algorithm withoutDelays() {
		return this;
	}

	/**
	 * The most permits that can pass in one instant.
	 * @return the number, at least 1
	 */
	public final long capacity() {
		return this.capacity;
	}

	/**
	 * Creates the state of a new key.
	 * @param now the moment
	 * @return the words
	 */
	public final long[] create(long now) {
		long[] state = new long[initialSize()];
		initialize(state, 0, now);
		return state;
	}

	/**
	 * Creates the state of a key that other limits have decided on so far. What it has
	 * taken stays taken, up to the capacity (with debts, twice of it), limit by limit in
	 * their order; a limit of another algorithm than its predecessor's begins anew.
	 * @param now the moment
	 * @param before the algorithm of the other limits
	 * @param old the words under the other limits
	 * @return the words
	 */
	public final long[] create(long now, Algorithm before, long[] old) {
		long[] state = {};
		int oldAt = 0;
		for (int i = 0; i < limits(); i++) {
			Algorithm limit = Objects.requireNonNull(limit(i));
			Algorithm other = before.limit(i);
			state = joined(state, createPart(limit, now, other, old, oldAt));
			if (other != null) {
				oldAt += other.size(old, oldAt);
			}
		}
		return state;
	}

	private static long[] createPart(Algorithm limit, long now, @Nullable Algorithm other, long[] old, int oldAt) {
		if (other == null || other.kind != limit.kind) {
			return limit.create(now);
		}
		return limit.createAfter(other, old, oldAt, now);
	}

	private static long[] joined(long[] first, long[] second) {
		long[] joined = Arrays.copyOf(first, first.length + second.length);
		System.arraycopy(second, 0, joined, first.length, second.length);
		return joined;
	}

	/**
	 * Creates the state of a key that another limit of the same algorithm, or this one,
	 * has decided on so far.
	 * @param before the other limit's algorithm
	 * @param old the words
	 * @param oldAt where the other limit's begin
	 */
	long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		return create(now);
	}

	/**
	 * The receipt with which to refund here what was given under other limits.
	 * @param before the algorithm of the other limits
	 * @param given the receipt of their decision
	 * @return a receipt that refunds no more than was
	 * {@link #create(long, Algorithm, long[]) carried over}
	 */
	public final RateLimitReceipt receipt(Algorithm before, RateLimitReceipt given) {
		return new ReceiptUnderOthers(this, before, given);
	}

	/**
	 * Whether what another limit of the same algorithm has given is still known here by
	 * the moment when it was taken, so that it can be refunded.
	 */
	boolean knowsMomentsOf(Algorithm before) {
		return true;
	}

	/**
	 * The number of limits.
	 */
	int limits() {
		return 1;
	}

	/**
	 * The algorithm of one of the limits.
	 * @return the algorithm, or {@code null} if there is no limit with the index
	 */
	@Nullable Algorithm limit(int index) {
		return (index == 0) ? this : null;
	}

	/**
	 * The number of words of a new key's state.
	 */
	abstract int initialSize();

	/**
	 * The largest number of words of a key's state.
	 * @return the number of words
	 */
	public int largestSize() {
		return initialSize();
	}

	/**
	 * The number of words of a key's state.
	 */
	int size(long[] state, int at) {
		return initialSize();
	}

	/**
	 * Writes the state of a new key.
	 */
	abstract void initialize(long[] state, int at, long now);

	/**
	 * Whether a request would pass. Reads only.
	 * @param state the words
	 * @param at where the state begins
	 * @param now the moment
	 * @param permits how many permits the request costs, from 0
	 * @return {@code true} if it would
	 */
	public abstract boolean admits(long[] state, int at, long now, long permits);

	/**
	 * Takes the permits of a request that is {@link #admits admitted}.
	 * @param state the words
	 * @param at where the state begins
	 * @param now the moment
	 * @param permits how many permits the request costs, from 1
	 */
	public abstract void take(long[] state, int at, long now, long permits);

	/**
	 * Takes permits for what has been used already, whether the limits have them or not:
	 * as many as there are and, with debts, up to one more capacity.
	 * @param state the words
	 * @param at where the state begins
	 * @param now the moment
	 * @param permits how many permits were used, from 1
	 */
	public abstract void charge(long[] state, int at, long now, long permits);

	/**
	 * Refunds a request's permits. Permits that cannot be refunded without exceeding the
	 * limit stay taken.
	 * @param state the words
	 * @param at where the state begins
	 * @param now the moment
	 * @param permits how many permits the request cost
	 * @param given the receipt of the decision that allowed the request
	 * @param limit the index of this limit, or the first of these, in the decision
	 */
	public abstract void refund(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit);

	/**
	 * Whether the key is idle: it has all its permits, as a new key has. Reads only.
	 * @param state the words
	 * @param at where the state begins
	 * @param now the moment
	 * @return {@code true} if forgetting the state would change no answer
	 */
	public final boolean isIdle(long[] state, int at, long now) {
		return decision(state, at, now, 0, true, null).resetAfterNanos() == 0;
	}

	/**
	 * Creates the decision on a request from the state, or adds it to a common one. Reads
	 * only.
	 * @param state the words, after {@link #take} or {@link #recordRejected}
	 * @param at where the state begins
	 * @param now the moment
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @param combined the decision to add to, or {@code null} for a decision of its own
	 * @return the decision
	 */
	public abstract RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined);

	/**
	 * Whether rejected requests must be {@link #recordRejected recorded}.
	 * @return {@code true} if a rejection changes the state
	 */
	public boolean countsRejected() {
		return false;
	}

	/**
	 * Records a rejected request, if the limit counts those that it does not
	 * {@link #admits admit} itself.
	 * @param state the words
	 * @param at where the state begins
	 * @param now the moment
	 * @param permits how many permits the request cost
	 */
	public void recordRejected(long[] state, int at, long now, long permits) {
	}

	/**
	 * Whether the state may need more words than it begins with.
	 * @return {@code true} if words can be {@link #missing missing}
	 */
	public final boolean grows() {
		return largestSize() > initialSize();
	}

	/**
	 * How many more words the state needs before {@link #take}, {@link #charge} or
	 * {@link #recordRejected}. Reads only.
	 * @param state the words
	 * @param at where the state begins
	 * @param now the moment
	 * @param permits how many permits the request costs
	 * @return the number of words, 0 if there is room
	 */
	public int missing(long[] state, int at, long now, long permits) {
		return 0;
	}

	/**
	 * Copies the state to an array with the room that is {@link #missing missing}.
	 * @param state the words
	 * @param now the moment
	 * @param permits how many permits the request costs
	 * @return the copy; the same words if there is room
	 */
	public final long[] enlarged(long[] state, long now, long permits) {
		int missing = missing(state, 0, now, permits);
		if (missing == 0) {
			return state;
		}
		long[] larger = new long[state.length + missing];
		enlarge(state, 0, larger, 0, now, permits);
		return larger;
	}

	/**
	 * Copies the state to an array with the room that is missing.
	 */
	void enlarge(long[] state, int at, long[] target, int targetAt, long now, long permits) {
		System.arraycopy(state, at, target, targetAt, size(state, at));
	}

	/**
	 * The receipt of a decision under other limits, of which a limit takes back only what
	 * it still knows by the moment when it was taken.
	 */
	private record ReceiptUnderOthers(Algorithm algorithm, Algorithm before,
			RateLimitReceipt given) implements RateLimitReceipt {

		@Override
		public long decidedAtNanos(int limit) {
			return isKnown(limit) ? this.given.decidedAtNanos(limit) : NEVER_TAKEN;
		}

		@Override
		public long resetAfterNanos(int limit) {
			return isKnown(limit) ? this.given.resetAfterNanos(limit) : 0;
		}

		@Override
		public long delayNanos(int limit) {
			return isKnown(limit) ? this.given.delayNanos(limit) : 0;
		}

		private boolean isKnown(int limit) {
			Algorithm own = this.algorithm.limit(limit);
			Algorithm other = this.before.limit(limit);
			return own != null && other != null && own.kind == other.kind && own.knowsMomentsOf(other);
		}

	}

}
