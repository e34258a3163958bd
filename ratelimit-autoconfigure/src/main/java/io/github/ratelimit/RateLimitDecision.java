package io.github.ratelimit;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * What a policy said to one request: whether it may pass, how long it must wait first,
 * what is left, and when to come back.
 * <p>
 * For a policy of several limits it is their common answer, and {@link #limits()} has
 * each one's own. All times count from {@link #decidedAtNanos()}.
 */
public final class RateLimitDecision {

	/**
	 * The value of {@link #retryAfterNanos()} for a request that can never pass.
	 */
	public static final long NEVER = -1;

	private final boolean allowed;

	private final long decidedAtNanos;

	private final long remaining;

	/* An allowed request's delay, a rejected one's retry time: no decision has both. */
	private final long waitNanos;

	private final long resetAfterNanos;

	private final long nextPermitAfterNanos;

	private final RateLimitDecision @Nullable [] limits;

	private final Basis basis;

	private final boolean queueFull;

	private RateLimitDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos,
			long resetAfterNanos, long nextPermitAfterNanos, RateLimitDecision @Nullable [] limits, Basis basis) {
		this(allowed, decidedAtNanos, remaining, waitNanos, resetAfterNanos, nextPermitAfterNanos, limits, basis,
				false);
	}

	private RateLimitDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos,
			long resetAfterNanos, long nextPermitAfterNanos, RateLimitDecision @Nullable [] limits, Basis basis,
			boolean queueFull) {
		this.queueFull = queueFull;
		this.allowed = allowed;
		this.decidedAtNanos = decidedAtNanos;
		this.remaining = remaining;
		this.waitNanos = waitNanos;
		this.resetAfterNanos = resetAfterNanos;
		this.nextPermitAfterNanos = nextPermitAfterNanos;
		this.limits = limits;
		this.basis = basis;
	}

	/**
	 * Creates the decision of one limit that lets a request pass.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @param remaining the number of single-permit requests that would pass now
	 * @param delayNanos how long the request must wait first
	 * @param resetAfterNanos the time until the key is as good as new
	 * @param nextPermitAfterNanos the time until {@code remaining} next grows, 0 if it
	 * cannot
	 * @return the decision
	 */
	public static RateLimitDecision allowed(long decidedAtNanos, long remaining, long delayNanos, long resetAfterNanos,
			long nextPermitAfterNanos) {
		return new RateLimitDecision(true, decidedAtNanos, remaining, delayNanos, resetAfterNanos, nextPermitAfterNanos,
				null, Basis.STORE);
	}

	/**
	 * Creates the decision of one limit that rejects a request.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @param remaining the number of single-permit requests that would pass now
	 * @param retryAfterNanos the time until the same request would pass, or
	 * {@link #NEVER}
	 * @param resetAfterNanos the time until the key is as good as new
	 * @param nextPermitAfterNanos the time until {@code remaining} next grows, 0 if it
	 * cannot
	 * @return the decision
	 */
	public static RateLimitDecision rejected(long decidedAtNanos, long remaining, long retryAfterNanos,
			long resetAfterNanos, long nextPermitAfterNanos) {
		return new RateLimitDecision(false, decidedAtNanos, remaining, retryAfterNanos, resetAfterNanos,
				nextPermitAfterNanos, null, Basis.STORE);
	}

	/**
	 * Creates the common decision of several limits: allowed if all agree, after the
	 * longest delay; otherwise rejected until all would agree.
	 * @param limits what each limit said at the same moment, in the policy's order, at
	 * least one
	 * @return the common decision; of a single limit, that limit's own
	 */
	public static RateLimitDecision combined(RateLimitDecision... limits) {
		RateLimitDecision combined = limits[0];
		for (int i = 1; i < limits.length; i++) {
			combined = combined.and(limits[i]);
		}
		return combined;
	}

	/**
	 * The common decision of this one's limits and another's.
	 * @param other what other limits of the same policy said at the same moment
	 * @return allowed if both are, after the longer delay; otherwise rejected until both
	 * would be allowed
	 */
	public RateLimitDecision and(RateLimitDecision other) {
		return new RateLimitDecision(this.allowed && other.allowed, this.decidedAtNanos,
				Math.min(this.remaining, other.remaining), waitOfBoth(other),
				Math.max(this.resetAfterNanos, other.resetAfterNanos), nextPermitOfBoth(other), limitsOfBoth(other),
				Basis.STORE);
	}

	private long waitOfBoth(RateLimitDecision other) {
		if (this.allowed != other.allowed) {
			return this.allowed ? other.waitNanos : this.waitNanos;
		}
		return (this.waitNanos == NEVER || other.waitNanos == NEVER) ? NEVER
				: Math.max(this.waitNanos, other.waitNanos);
	}

	private long nextPermitOfBoth(RateLimitDecision other) {
		if (this.remaining != other.remaining) {
			return (this.remaining < other.remaining) ? this.nextPermitAfterNanos : other.nextPermitAfterNanos;
		}
		return (this.nextPermitAfterNanos == 0 || other.nextPermitAfterNanos == 0) ? 0
				: Math.max(this.nextPermitAfterNanos, other.nextPermitAfterNanos);
	}

	private RateLimitDecision[] limitsOfBoth(RateLimitDecision other) {
		if (this.limits == null && other.limits == null) {
			return new RateLimitDecision[] { this, other };
		}
		return Stream.concat(limits().stream(), other.limits().stream()).toArray(RateLimitDecision[]::new);
	}

	/**
	 * Creates the decision of a store that cannot decide, and that is to turn requests
	 * away meanwhile.
	 * @param decidedAtNanos this process' time, nanoseconds since the epoch
	 * @param retryAfterNanos the time until it is worth trying again
	 * @return a rejection that says nothing about any limit
	 */
	public static RateLimitDecision unavailable(long decidedAtNanos, long retryAfterNanos) {
		return new RateLimitDecision(false, decidedAtNanos, 0, retryAfterNanos, 0, 0, null, Basis.NOTHING);
	}

	/**
	 * Marks a decision that was not made by the policy's store, because it could not.
	 * @return the same decision, marked
	 */
	public RateLimitDecision asFallback() {
		return (this.basis != Basis.STORE) ? this
				: new RateLimitDecision(this.allowed, this.decidedAtNanos, this.remaining, this.waitNanos,
						this.resetAfterNanos, this.nextPermitAfterNanos, this.limits, Basis.FALLBACK);
	}

	/**
	 * What a look would have been told in place of this decision.
	 * @return the same standing, allowed and without a wait
	 */
	public RateLimitDecision asLook() {
		RateLimitDecision[] looks = null;
		if (this.limits != null) {
			looks = new RateLimitDecision[this.limits.length];
			for (int i = 0; i < looks.length; i++) {
				looks[i] = this.limits[i].asLook();
			}
		}
		return new RateLimitDecision(true, this.decidedAtNanos, this.remaining, 0, this.resetAfterNanos,
				this.nextPermitAfterNanos, looks, this.basis);
	}

	/**
	 * What the same request would be told a little later, if nothing changed but the
	 * time.
	 * @param nanos how much later, less than its {@link #retryAfterNanos()}
	 * @return the same decision with its times counted down
	 */
	public RateLimitDecision after(long nanos) {
		RateLimitDecision[] later = null;
		if (this.limits != null) {
			later = new RateLimitDecision[this.limits.length];
			for (int i = 0; i < later.length; i++) {
				later[i] = this.limits[i].after(nanos);
			}
		}
		long wait = (this.waitNanos != NEVER) ? Math.max(0, this.waitNanos - nanos) : NEVER;
		return new RateLimitDecision(this.allowed, this.decidedAtNanos + nanos, this.remaining, wait,
				Math.max(0, this.resetAfterNanos - nanos), Math.max(0, this.nextPermitAfterNanos - nanos), later,
				this.basis, this.queueFull);
	}

	/**
	 * The rejection of a request that would pass after a wait, but cannot wait, because
	 * as many wait already as may.
	 * @param retryAfterNanos the wait that it would have had: when the policy lets it
	 * pass without one
	 * @return this decision as a rejection, marked; what was allowed after a wait is
	 * rejected in each limit that would have made it wait
	 */
	public RateLimitDecision asQueueFull(long retryAfterNanos) {
		RateLimitDecision[] rejected = null;
		if (this.limits != null) {
			rejected = new RateLimitDecision[this.limits.length];
			for (int i = 0; i < rejected.length; i++) {
				long delay = this.limits[i].delayNanos();
				rejected[i] = (delay > 0) ? this.limits[i].asQueueFull(delay) : this.limits[i];
			}
		}
		return new RateLimitDecision(false, this.decidedAtNanos, this.allowed ? 0 : this.remaining, retryAfterNanos,
				this.resetAfterNanos, this.allowed ? retryAfterNanos : this.nextPermitAfterNanos, rejected, this.basis,
				true);
	}

	/**
	 * Whether the request may pass, after its {@link #delayNanos() delay}.
	 * @return {@code true} if it may
	 */
	public boolean allowed() {
		return this.allowed;
	}

	/**
	 * Whether the policy's store could not decide, and something else did in its place.
	 * @return {@code true} for a decision by the store's failure mode
	 */
	public boolean fallback() {
		return this.basis != Basis.STORE;
	}

	/**
	 * Whether the request is turned away only because the store could not decide. Then
	 * nothing is known of any limit.
	 * @return {@code true} for a rejection that is no fault of the caller
	 */
	public boolean unavailable() {
		return this.basis == Basis.NOTHING;
	}

	/**
	 * Whether the request is rejected only because it would have to wait, and as many
	 * wait already as may. Its {@link #retryAfterNanos()} is the wait that it would have
	 * had: then the policy lets it pass without one, whoever else waits. (A request of
	 * more permits than pass at once always has to wait, and finds out only by trying.)
	 * @return {@code true} for a rejection that this policy's numbers alone do not
	 * explain
	 */
	public boolean queueFull() {
		return this.queueFull;
	}

	/**
	 * When the decision was made, by the store's clock.
	 * @return nanoseconds since the epoch
	 */
	public long decidedAtNanos() {
		return this.decidedAtNanos;
	}

	/**
	 * How many single-permit requests would pass now.
	 * @return the number, from 0 to the policy's capacity
	 */
	public long remaining() {
		return this.remaining;
	}

	/**
	 * How long an allowed request must wait first.
	 * @return nanoseconds; 0 for a rejected request
	 */
	public long delayNanos() {
		return this.allowed ? this.waitNanos : 0;
	}

	/**
	 * When a rejected request would pass, with nobody else about: rejected at any moment
	 * before, allowed at it.
	 * @return nanoseconds; 0 for an allowed request; {@link #NEVER} for one of more
	 * permits than the policy's capacity
	 */
	public long retryAfterNanos() {
		return this.allowed ? 0 : this.waitNanos;
	}

	/**
	 * The time until the key is as good as new.
	 * @return nanoseconds; 0 if it is
	 */
	public long resetAfterNanos() {
		return this.resetAfterNanos;
	}

	/**
	 * The time until {@link #remaining()} next grows.
	 * @return nanoseconds; 0 if it cannot grow
	 */
	public long nextPermitAfterNanos() {
		return this.nextPermitAfterNanos;
	}

	/**
	 * How long an allowed request must wait first.
	 * @return the duration; zero for a rejected request
	 * @see #delayNanos()
	 */
	public Duration delay() {
		return Duration.ofNanos(delayNanos());
	}

	/**
	 * When a rejected request would pass.
	 * @return the duration; zero for an allowed request; {@code null} for one that can
	 * never pass
	 * @see #retryAfterNanos()
	 */
	public @Nullable Duration retryAfter() {
		long nanos = retryAfterNanos();
		return (nanos != NEVER) ? Duration.ofNanos(nanos) : null;
	}

	/**
	 * The time until the key is as good as new.
	 * @return the duration
	 * @see #resetAfterNanos()
	 */
	public Duration resetAfter() {
		return Duration.ofNanos(this.resetAfterNanos);
	}

	/**
	 * The time until {@link #remaining()} next grows.
	 * @return the duration; zero if it cannot grow
	 * @see #nextPermitAfterNanos()
	 */
	public Duration nextPermitAfter() {
		return Duration.ofNanos(this.nextPermitAfterNanos);
	}

	/**
	 * What each of the policy's limits said.
	 * @return the decisions in the policy's order; this one alone for a single limit
	 */
	public List<RateLimitDecision> limits() {
		return (this.limits != null) ? List.of(this.limits) : List.of(this);
	}

	@Override
	public String toString() {
		String verdict = !this.allowed ? "rejected, retry after " + retryAfter()
				: (this.waitNanos > 0) ? "allowed after " + delay() : "allowed";
		return verdict + ", remaining " + this.remaining + ", next permit after " + nextPermitAfter() + ", reset after "
				+ resetAfter();
	}

	/**
	 * What a decision rests on.
	 */
	private enum Basis {

		STORE, FALLBACK, NOTHING

	}

}
