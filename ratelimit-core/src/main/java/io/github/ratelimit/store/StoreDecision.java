package io.github.ratelimit.store;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * A decision of one limit, or of several that keep their own decisions, and its receipt.
 *
 * @param allowed whether the request may pass
 * @param decidedAtNanos the store's time of the decision
 * @param remaining the number of single-permit requests that would pass now
 * @param waitNanos an allowed request's delay, a rejected one's retry time: no decision
 * has both
 * @param resetAfterNanos the time until the key has all of its permits again
 * @param nextPermitAfterNanos the time until {@code remaining} next grows
 * @param each the decision of each of several limits, or {@code null} for a single one
 * @param marks what the decision is besides, each a bit
 * @param newBan which ban of its key the decision begins, or 0
 */
record StoreDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos, long resetAfterNanos,
		long nextPermitAfterNanos, StoreDecision @Nullable [] each, byte marks,
		int newBan) implements RateLimitDecision, RateLimitReceipt {

	static final int FALLBACK = 1;

	static final int UNAVAILABLE = 2;

	private static final int QUEUE_FULL = 4;

	static final int BANNED = 8;

	private static final int EXCEEDED = 16;

	static final int DENIED = 32;

	StoreDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos, long resetAfterNanos,
			long nextPermitAfterNanos, StoreDecision @Nullable [] each, int marks, int newBan) {
		this(allowed, decidedAtNanos, remaining, waitNanos, resetAfterNanos, nextPermitAfterNanos, each, (byte) marks,
				newBan);
	}

	static StoreDecision of(RateLimitDecision decision) {
		if (decision instanceof StoreDecision store) {
			return store;
		}
		if (decision instanceof CombinedDecision combined) {
			return combined.separated();
		}
		return copy(decision);
	}

	/*
	 * Without a receipt, the permits count as given long ago: nothing is left to refund.
	 */
	private static StoreDecision copy(RateLimitDecision decision) {
		int marks = mark(FALLBACK, decision.fallback() || decision.unavailable())
				| mark(UNAVAILABLE, decision.unavailable()) | mark(QUEUE_FULL, decision.queueFull())
				| mark(BANNED, decision.banned()) | mark(EXCEEDED, decision.exceeded())
				| mark(DENIED, decision.denied());
		return copy(decision, 0, copyEach(decision.limits()), marks, decision.newBan());
	}

	private static StoreDecision @Nullable [] copyEach(List<LimitStatus> limits) {
		if (limits.size() < 2) {
			return null;
		}
		return limits.stream().map((limit) -> copy(limit, 0, null, 0, 0)).toArray(StoreDecision[]::new);
	}

	private static int mark(int mark, boolean set) {
		return set ? mark : 0;
	}

	static StoreDecision copy(LimitStatus status, long decidedAtNanos, StoreDecision @Nullable [] each, int marks,
			int newBan) {
		boolean allowed = status.allowed();
		long waitNanos = allowed ? status.delayNanos() : status.retryAfterNanos();
		return new StoreDecision(allowed, decidedAtNanos, status.remaining(), waitNanos, status.resetAfterNanos(),
				status.nextPermitAfterNanos(), each, marks, newBan);
	}

	Stream<StoreDecision> parts() {
		if (this.each == null) {
			return Stream.of(this);
		}
		return Stream.of(this.each);
	}

	StoreDecision limit(int limit) {
		if (this.each == null) {
			return this;
		}
		return this.each[Math.min(limit, this.each.length - 1)];
	}

	/*
	 * A decision of a fallback begins no ban.
	 */
	StoreDecision asFallback() {
		if (fallback()) {
			return this;
		}
		return new StoreDecision(this.allowed, this.decidedAtNanos, this.remaining, this.waitNanos,
				this.resetAfterNanos, this.nextPermitAfterNanos, this.each, this.marks | FALLBACK, 0);
	}

	StoreDecision asLook() {
		return new StoreDecision(true, this.decidedAtNanos, this.remaining, 0, this.resetAfterNanos,
				this.nextPermitAfterNanos, eachLimit(StoreDecision::asLook), this.marks & ~QUEUE_FULL, 0);
	}

	/*
	 * The limits go on to say that they reject, and until when.
	 */
	StoreDecision asExceeded() {
		StoreDecision[] each = this.each;
		if (each == null) {
			each = new StoreDecision[] { this };
		}
		return new StoreDecision(true, this.decidedAtNanos, this.remaining, 0, this.resetAfterNanos,
				this.nextPermitAfterNanos, each, this.marks | EXCEEDED, 0);
	}

	/*
	 * The same decision, when it is made later, begins no ban.
	 */
	StoreDecision after(long nanos) {
		long wait = (this.waitNanos != NEVER) ? Math.max(0, this.waitNanos - nanos) : NEVER;
		return new StoreDecision(this.allowed, this.decidedAtNanos + nanos, this.remaining, wait,
				Math.max(0, this.resetAfterNanos - nanos), Math.max(0, this.nextPermitAfterNanos - nanos),
				eachLimit((limit) -> limit.after(nanos)), this.marks, 0);
	}

	StoreDecision asQueueFull(long retryAfterNanos) {
		long remaining = this.allowed ? 0 : this.remaining;
		long nextPermit = this.allowed ? retryAfterNanos : this.nextPermitAfterNanos;
		return new StoreDecision(false, this.decidedAtNanos, remaining, retryAfterNanos, this.resetAfterNanos,
				nextPermit, eachLimit(StoreDecision::asQueueFull), this.marks | QUEUE_FULL, this.newBan);
	}

	/* A limit that would have let the request wait rejects it. */
	private StoreDecision asQueueFull() {
		long delay = delayNanos();
		if (delay == 0) {
			return this;
		}
		return asQueueFull(delay);
	}

	private StoreDecision @Nullable [] eachLimit(UnaryOperator<StoreDecision> change) {
		if (this.each == null) {
			return null;
		}
		return Stream.of(this.each).map(change).toArray(StoreDecision[]::new);
	}

	private boolean is(int mark) {
		return (this.marks & mark) != 0;
	}

	@Override
	public boolean fallback() {
		return is(FALLBACK);
	}

	@Override
	public boolean unavailable() {
		return is(UNAVAILABLE);
	}

	@Override
	public boolean banned() {
		return is(BANNED);
	}

	@Override
	public boolean exceeded() {
		return is(EXCEEDED);
	}

	@Override
	public boolean denied() {
		return is(DENIED);
	}

	@Override
	public boolean queueFull() {
		return is(QUEUE_FULL);
	}

	/* Nearly all requests are allowed, which is all that must be known of them. */
	@Override
	public RateLimitOutcome outcome() {
		if (this.allowed && this.waitNanos == 0 && (this.marks & EXCEEDED) == 0) {
			return RateLimitOutcome.ALLOWED;
		}
		return RateLimitDecision.super.outcome();
	}

	@Override
	public long delayNanos() {
		return this.allowed ? this.waitNanos : 0;
	}

	@Override
	public long retryAfterNanos() {
		return this.allowed ? 0 : this.waitNanos;
	}

	@Override
	public List<LimitStatus> limits() {
		if (this.each == null) {
			return List.of(this);
		}
		return List.of(this.each);
	}

	@Override
	public long decidedAtNanos(int limit) {
		return limit(limit).decidedAtNanos;
	}

	@Override
	public long resetAfterNanos(int limit) {
		return limit(limit).resetAfterNanos;
	}

	@Override
	public long delayNanos(int limit) {
		return limit(limit).delayNanos();
	}

	@Override
	public String toString() {
		return text(this);
	}

	/**
	 * Describes a decision in a few words, for logs and failed assertions.
	 */
	static String text(LimitStatus status) {
		return verdict(status) + ", remaining " + status.remaining() + ", next permit after "
				+ DurationText.of(status.nextPermitAfter()) + ", reset after " + DurationText.of(status.resetAfter());
	}

	private static String verdict(LimitStatus status) {
		if (status.allowed() && status.delayNanos() > 0) {
			return "allowed after " + DurationText.of(status.delay());
		}
		if (status.allowed()) {
			return "allowed";
		}
		Duration retryAfter = status.retryAfter();
		if (retryAfter == null) {
			return "rejected permanently";
		}
		return "rejected, retry after " + DurationText.of(retryAfter);
	}

}
