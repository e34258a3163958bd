package io.github.ratelimit.store;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * A decision of one limit, or of several that keep their own decisions, and its receipt.
 */
final class StoreDecision implements RateLimitDecision, RateLimitReceipt {

	/* What a decision may be besides, each a bit. */
	private static final int FALLBACK = 1;

	private static final int UNAVAILABLE = 2;

	private static final int QUEUE_FULL = 4;

	private static final int BANNED = 8;

	private final boolean allowed;

	private final byte marks;

	/* Which ban of its key the decision begins, or 0. */
	private final int newBan;

	private final long decidedAtNanos;

	private final long remaining;

	/* An allowed request's delay, a rejected one's retry time: no decision has both. */
	private final long waitNanos;

	private final long resetAfterNanos;

	private final long nextPermitAfterNanos;

	private final StoreDecision @Nullable [] limits;

	StoreDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos, long resetAfterNanos,
			long nextPermitAfterNanos) {
		this(allowed, decidedAtNanos, remaining, waitNanos, resetAfterNanos, nextPermitAfterNanos, null, 0, 0);
	}

	private StoreDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos, long resetAfterNanos,
			long nextPermitAfterNanos, StoreDecision @Nullable [] limits, int marks, int newBan) {
		this.allowed = allowed;
		this.decidedAtNanos = decidedAtNanos;
		this.remaining = remaining;
		this.waitNanos = waitNanos;
		this.resetAfterNanos = resetAfterNanos;
		this.nextPermitAfterNanos = nextPermitAfterNanos;
		this.limits = limits;
		this.marks = (byte) marks;
		this.newBan = newBan;
	}

	static StoreDecision unavailable(long decidedAtNanos, long retryAfterNanos) {
		return new StoreDecision(false, decidedAtNanos, 0, retryAfterNanos, 0, 0, null, FALLBACK | UNAVAILABLE, 0);
	}

	static StoreDecision banned(long decidedAtNanos, long banNanos, int newBan) {
		return new StoreDecision(false, decidedAtNanos, 0, banNanos, banNanos, banNanos, null, BANNED, newBan);
	}

	static StoreDecision of(RateLimitDecision decision) {
		if (decision instanceof StoreDecision store) {
			return store;
		}
		if (decision instanceof JointDecision joint) {
			return joint.separated();
		}
		return copy(decision);
	}

	/*
	 * Without a receipt, the permits count as given long ago: nothing is left to refund .
	 */
	private static StoreDecision copy(RateLimitDecision decision) {
		int marks = mark(FALLBACK, decision.fallback() || decision.unavailable())
				| mark(UNAVAILABLE, decision.unavailable()) | mark(QUEUE_FULL, decision.queueFull())
				| mark(BANNED, decision.banned());
		List<LimitStatus> statuses = decision.limits();
		StoreDecision[] limits = (statuses.size() < 2) ? null
				: IntStream.range(0, statuses.size())
					.mapToObj((i) -> copy(statuses.get(i), decidedAtNanos(decision, i), null, 0, 0))
					.toArray(StoreDecision[]::new);
		return copy(decision, decidedAtNanos(decision, 0), limits, marks, decision.newBan());
	}

	private static int mark(int mark, boolean set) {
		return set ? mark : 0;
	}

	private static long decidedAtNanos(RateLimitDecision decision, int limit) {
		return (decision instanceof RateLimitReceipt receipt) ? receipt.decidedAtNanos(limit) : 0;
	}

	private static StoreDecision copy(LimitStatus status, long decidedAtNanos, StoreDecision @Nullable [] limits,
			int marks, int newBan) {
		boolean allowed = status.allowed();
		return new StoreDecision(allowed, decidedAtNanos, status.remaining(),
				allowed ? status.delayNanos() : status.retryAfterNanos(), status.resetAfterNanos(),
				status.nextPermitAfterNanos(), limits, marks, newBan);
	}

	StoreDecision and(StoreDecision other) {
		return new StoreDecision(this.allowed && other.allowed, this.decidedAtNanos,
				Math.min(this.remaining, other.remaining), waitOfBoth(other),
				Math.max(this.resetAfterNanos, other.resetAfterNanos), nextPermitOfBoth(other), limitsOfBoth(other), 0,
				0);
	}

	private long waitOfBoth(StoreDecision other) {
		if (this.allowed != other.allowed) {
			return this.allowed ? other.waitNanos : this.waitNanos;
		}
		return (this.waitNanos == NEVER || other.waitNanos == NEVER) ? NEVER
				: Math.max(this.waitNanos, other.waitNanos);
	}

	private long nextPermitOfBoth(StoreDecision other) {
		if (this.remaining != other.remaining) {
			return (this.remaining < other.remaining) ? this.nextPermitAfterNanos : other.nextPermitAfterNanos;
		}
		return (this.nextPermitAfterNanos == 0 || other.nextPermitAfterNanos == 0) ? 0
				: Math.max(this.nextPermitAfterNanos, other.nextPermitAfterNanos);
	}

	private StoreDecision[] limitsOfBoth(StoreDecision other) {
		if (this.limits == null && other.limits == null) {
			return new StoreDecision[] { this, other };
		}
		return Stream.concat(parts(), other.parts()).toArray(StoreDecision[]::new);
	}

	private Stream<StoreDecision> parts() {
		return (this.limits != null) ? Stream.of(this.limits) : Stream.of(this);
	}

	StoreDecision limit(int limit) {
		return (this.limits != null) ? this.limits[limit] : this;
	}

	/*
	 * What another made has begun no ban.
	 */
	StoreDecision asFallback() {
		return fallback() ? this : new StoreDecision(this.allowed, this.decidedAtNanos, this.remaining, this.waitNanos,
				this.resetAfterNanos, this.nextPermitAfterNanos, this.limits, this.marks | FALLBACK, 0);
	}

	StoreDecision asLook() {
		return new StoreDecision(true, this.decidedAtNanos, this.remaining, 0, this.resetAfterNanos,
				this.nextPermitAfterNanos, eachLimit(StoreDecision::asLook), this.marks & ~QUEUE_FULL, 0);
	}

	/*
	 * The ban of the same decision later has begun before.
	 */
	StoreDecision after(long nanos) {
		long wait = (this.waitNanos != NEVER) ? Math.max(0, this.waitNanos - nanos) : NEVER;
		return new StoreDecision(this.allowed, this.decidedAtNanos + nanos, this.remaining, wait,
				Math.max(0, this.resetAfterNanos - nanos), Math.max(0, this.nextPermitAfterNanos - nanos),
				eachLimit((limit) -> limit.after(nanos)), this.marks, 0);
	}

	StoreDecision asQueueFull(long retryAfterNanos) {
		return new StoreDecision(false, this.decidedAtNanos, this.allowed ? 0 : this.remaining, retryAfterNanos,
				this.resetAfterNanos, this.allowed ? retryAfterNanos : this.nextPermitAfterNanos,
				eachLimit((limit) -> (limit.delayNanos() > 0) ? limit.asQueueFull(limit.delayNanos()) : limit),
				this.marks | QUEUE_FULL, this.newBan);
	}

	private StoreDecision @Nullable [] eachLimit(UnaryOperator<StoreDecision> change) {
		return (this.limits != null) ? Stream.of(this.limits).map(change).toArray(StoreDecision[]::new) : null;
	}

	private boolean is(int mark) {
		return (this.marks & mark) != 0;
	}

	@Override
	public boolean allowed() {
		return this.allowed;
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
	public int newBan() {
		return this.newBan;
	}

	@Override
	public boolean queueFull() {
		return is(QUEUE_FULL);
	}

	@Override
	public long remaining() {
		return this.remaining;
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
	public long resetAfterNanos() {
		return this.resetAfterNanos;
	}

	@Override
	public long nextPermitAfterNanos() {
		return this.nextPermitAfterNanos;
	}

	@Override
	public List<LimitStatus> limits() {
		return (this.limits != null) ? List.of(this.limits) : List.of(this);
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
	public String toString() {
		return DecisionText.of(this);
	}

	/**
	 * A decision in a few words, for logs and failed assertions.
	 */
	static final class DecisionText {

		private DecisionText() {
		}

		static String of(LimitStatus status) {
			return verdict(status) + ", remaining " + status.remaining() + ", next permit after "
					+ DurationText.of(status.nextPermitAfter()) + ", reset after "
					+ DurationText.of(status.resetAfter());
		}

		private static String verdict(LimitStatus status) {
			if (status.allowed()) {
				return (status.delayNanos() > 0) ? "allowed after " + DurationText.of(status.delay()) : "allowed";
			}
			Duration retryAfter = status.retryAfter();
			return (retryAfter != null) ? "rejected, retry after " + DurationText.of(retryAfter)
					: "rejected permanently";
		}

	}

}
