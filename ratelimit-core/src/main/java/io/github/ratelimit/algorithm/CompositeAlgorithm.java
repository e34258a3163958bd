package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * Several limits as one: the first, and the rest, whose state lies behind the first's. A
 * request passes if both admit it.
 */
final class CompositeAlgorithm extends Algorithm {

	private final Algorithm first;

	private final Algorithm rest;

	private final int limits;

	CompositeAlgorithm(Algorithm first, Algorithm rest, Tick resolution) {
		super(null, Math.min(first.capacity(), rest.capacity()), resolution);
		this.first = first;
		this.rest = rest;
		this.limits = 1 + rest.limits();
	}

	@Override
	int limits() {
		return this.limits;
	}

	@Override
	@Nullable Algorithm limit(int index) {
		return (index == 0) ? this.first : this.rest.limit(index - 1);
	}

	@Override
	public Algorithm withoutDelays() {
		Algorithm first = this.first.withoutDelays();
		Algorithm rest = this.rest.withoutDelays();
		if (first == this.first && rest == this.rest) {
			return this;
		}
		return new CompositeAlgorithm(first, rest, this.resolution);
	}

	@Override
	int initialSize() {
		return this.first.initialSize() + this.rest.initialSize();
	}

	@Override
	public int largestSize() {
		return this.first.largestSize() + this.rest.largestSize();
	}

	@Override
	int size(long[] state, int at) {
		int size = this.first.size(state, at);
		return size + this.rest.size(state, at + size);
	}

	@Override
	void initialize(long[] state, int at, long now) {
		this.first.initialize(state, at, now);
		this.rest.initialize(state, at + this.first.initialSize(), now);
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		return this.first.admits(state, at, now, permits)
				&& this.rest.admits(state, at + this.first.size(state, at), now, permits);
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		this.first.take(state, at, now, permits);
		this.rest.take(state, at + this.first.size(state, at), now, permits);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Each limit takes as much as it may, because its permits were used whatever another
	 * limit has.
	 */
	@Override
	public void charge(long[] state, int at, long now, long permits) {
		this.first.charge(state, at, now, permits);
		this.rest.charge(state, at + this.first.size(state, at), now, permits);
	}

	@Override
	public boolean countsRejected() {
		return this.first.countsRejected() || this.rest.countsRejected();
	}

	@Override
	public void recordRejected(long[] state, int at, long now, long permits) {
		this.first.recordRejected(state, at, now, permits);
		this.rest.recordRejected(state, at + this.first.size(state, at), now, permits);
	}

	@Override
	public RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		CombinedDecision all = combined;
		if (all == null) {
			all = RateLimitDecisions.combining(now * this.resolution.nanosPerTick(), this.limits);
		}

		int rest = at + this.first.size(state, at);
		if (allowed) {
			this.first.decision(state, at, now, permits, true, all);
			return this.rest.decision(state, rest, now, permits, true, all);
		}

		addOpinion(this.first, state, at, now, permits, all);
		return addOpinion(this.rest, state, rest, now, permits, all);
	}

	/*
	 * A limit that admits a request which another limit rejects has taken nothing.
	 */
	private static RateLimitDecision addOpinion(Algorithm algorithm, long[] state, int at, long now, long permits,
			CombinedDecision combined) {
		if (algorithm.admits(state, at, now, permits)) {
			return algorithm.decision(state, at, now, 0, true, combined);
		}
		return algorithm.decision(state, at, now, permits, false, combined);
	}

	@Override
	public void refund(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit) {
		int rest = at + this.first.size(state, at);
		this.first.refund(state, at, now, permits, given, limit);
		this.rest.refund(state, rest, now, permits, given, limit + 1);
	}

	@Override
	public int missing(long[] state, int at, long now, long permits) {
		return this.first.missing(state, at, now, permits)
				+ this.rest.missing(state, at + this.first.size(state, at), now, permits);
	}

	@Override
	void enlarge(long[] state, int at, long[] target, int targetAt, long now, long permits) {
		this.first.enlarge(state, at, target, targetAt, now, permits);
		this.rest.enlarge(state, at + this.first.size(state, at), target, targetAt + this.first.size(target, targetAt),
				now, permits);
	}

}
