package io.github.ratelimit.store;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * A decision of one limit, or of several that keep their own decisions, and its receipt.
 */
final class StoreDecision implements RateLimitDecision, RateLimitReceipt {

	private final boolean allowed;

	private final long decidedAtNanos;

	private final long remaining;

	/* An allowed request's delay, a rejected one's retry time: no decision has both. */
	private final long waitNanos;

	private final long resetAfterNanos;

	private final long nextPermitAfterNanos;

	private final StoreDecision @Nullable [] limits;

	private final Basis basis;

	private final boolean queueFull;

	StoreDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos, long resetAfterNanos,
			long nextPermitAfterNanos) {
		this(allowed, decidedAtNanos, remaining, waitNanos, resetAfterNanos, nextPermitAfterNanos, null, Basis.STORE,
				false);
	}

	private StoreDecision(boolean allowed, long decidedAtNanos, long remaining, long waitNanos, long resetAfterNanos,
			long nextPermitAfterNanos, StoreDecision @Nullable [] limits, Basis basis, boolean queueFull) {
		this.allowed = allowed;
		this.decidedAtNanos = decidedAtNanos;
		this.remaining = remaining;
		this.waitNanos = waitNanos;
		this.resetAfterNanos = resetAfterNanos;
		this.nextPermitAfterNanos = nextPermitAfterNanos;
		this.limits = limits;
		this.basis = basis;
		this.queueFull = queueFull;
	}

	static StoreDecision unavailable(long decidedAtNanos, long retryAfterNanos) {
		return new StoreDecision(false, decidedAtNanos, 0, retryAfterNanos, 0, 0, null, Basis.NOTHING, false);
	}

	static StoreDecision banned(long decidedAtNanos, long retryAfterNanos) {
		return new StoreDecision(false, decidedAtNanos, 0, retryAfterNanos, retryAfterNanos, retryAfterNanos, null,
				Basis.BAN, false);
	}

	static StoreDecision newlyBanned(long decidedAtNanos, long banNanos, int times) {
		return new StoreDecision(false, decidedAtNanos, 0, banNanos, banNanos, banNanos, null, Basis.ban(times), false);
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
	 * Without a receipt, the permits count as given long ago: nothing is left to give
	 * back.
	 */
	private static StoreDecision copy(RateLimitDecision decision) {
		Basis store = decision.banned() ? Basis.ban(decision.newBan()) : Basis.STORE;
		Basis basis = decision.unavailable() ? Basis.NOTHING : decision.fallback() ? store.fallback() : store;
		List<LimitStatus> statuses = decision.limits();
		StoreDecision[] limits = (statuses.size() < 2) ? null
				: IntStream.range(0, statuses.size())
					.mapToObj((i) -> copy(statuses.get(i), decidedAtNanos(decision, i), null, Basis.STORE, false))
					.toArray(StoreDecision[]::new);
		return copy(decision, decidedAtNanos(decision, 0), limits, basis, decision.queueFull());
	}

	private static long decidedAtNanos(RateLimitDecision decision, int limit) {
		return (decision instanceof RateLimitReceipt receipt) ? receipt.decidedAtNanos(limit) : 0;
	}

	private static StoreDecision copy(LimitStatus status, long decidedAtNanos, StoreDecision @Nullable [] limits,
			Basis basis, boolean queueFull) {
		boolean allowed = status.allowed();
		return new StoreDecision(allowed, decidedAtNanos, status.remaining(),
				allowed ? status.delayNanos() : status.retryAfterNanos(), status.resetAfterNanos(),
				status.nextPermitAfterNanos(), limits, basis, queueFull);
	}

	StoreDecision and(StoreDecision other) {
		return new StoreDecision(this.allowed && other.allowed, this.decidedAtNanos,
				Math.min(this.remaining, other.remaining), waitOfBoth(other),
				Math.max(this.resetAfterNanos, other.resetAfterNanos), nextPermitOfBoth(other), limitsOfBoth(other),
				Basis.STORE, false);
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

	StoreDecision asFallback() {
		Basis fallback = this.basis.fallback();
		return (this.basis == fallback) ? this : new StoreDecision(this.allowed, this.decidedAtNanos, this.remaining,
				this.waitNanos, this.resetAfterNanos, this.nextPermitAfterNanos, this.limits, fallback, this.queueFull);
	}

	StoreDecision asLook() {
		StoreDecision[] looks = null;
		if (this.limits != null) {
			looks = new StoreDecision[this.limits.length];
			for (int i = 0; i < looks.length; i++) {
				looks[i] = this.limits[i].asLook();
			}
		}
		return new StoreDecision(true, this.decidedAtNanos, this.remaining, 0, this.resetAfterNanos,
				this.nextPermitAfterNanos, looks, this.basis.later(), false);
	}

	StoreDecision after(long nanos) {
		StoreDecision[] later = null;
		if (this.limits != null) {
			later = new StoreDecision[this.limits.length];
			for (int i = 0; i < later.length; i++) {
				later[i] = this.limits[i].after(nanos);
			}
		}
		long wait = (this.waitNanos != NEVER) ? Math.max(0, this.waitNanos - nanos) : NEVER;
		return new StoreDecision(this.allowed, this.decidedAtNanos + nanos, this.remaining, wait,
				Math.max(0, this.resetAfterNanos - nanos), Math.max(0, this.nextPermitAfterNanos - nanos), later,
				this.basis.later(), this.queueFull);
	}

	StoreDecision asQueueFull(long retryAfterNanos) {
		StoreDecision[] rejected = null;
		if (this.limits != null) {
			rejected = new StoreDecision[this.limits.length];
			for (int i = 0; i < rejected.length; i++) {
				long delay = this.limits[i].delayNanos();
				rejected[i] = (delay > 0) ? this.limits[i].asQueueFull(delay) : this.limits[i];
			}
		}
		return new StoreDecision(false, this.decidedAtNanos, this.allowed ? 0 : this.remaining, retryAfterNanos,
				this.resetAfterNanos, this.allowed ? retryAfterNanos : this.nextPermitAfterNanos, rejected, this.basis,
				true);
	}

	@Override
	public boolean allowed() {
		return this.allowed;
	}

	@Override
	public boolean fallback() {
		return this.basis == this.basis.fallback();
	}

	@Override
	public boolean unavailable() {
		return this.basis == Basis.NOTHING;
	}

	@Override
	public boolean banned() {
		return this.basis.banned;
	}

	@Override
	public int newBan() {
		return this.basis.newBan;
	}

	@Override
	public boolean queueFull() {
		return this.queueFull;
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
	 * The basis of a decision.
	 */
	private static final class Basis {

		static final Basis STORE = new Basis(false, 0);

		static final Basis BAN = new Basis(true, 0);

		static final Basis FALLBACK = new Basis(false, 0);

		static final Basis FALLBACK_BAN = new Basis(true, 0);

		static final Basis NOTHING = new Basis(false, 0);

		private final boolean banned;

		private final int newBan;

		private Basis(boolean banned, int newBan) {
			this.banned = banned;
			this.newBan = newBan;
		}

		static Basis ban(int newBan) {
			return (newBan > 0) ? new Basis(true, newBan) : BAN;
		}

		/**
		 * The basis of the same decision where the store did not make it.
		 */
		Basis fallback() {
			if (this == NOTHING) {
				return NOTHING;
			}
			return this.banned ? FALLBACK_BAN : FALLBACK;
		}

		/**
		 * The basis of the same decision later, when its ban has begun before.
		 */
		Basis later() {
			return (this.newBan > 0) ? BAN : this;
		}

	}

}
