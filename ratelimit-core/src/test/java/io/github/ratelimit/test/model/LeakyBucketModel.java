package io.github.ratelimit.test.model;

import io.github.ratelimit.RateLimit;

/**
 * What nginx's {@code limit_req} keeps for a key, in exact fractions: the excess of the
 * last request that passed, and when that was.
 */
final class LeakyBucketModel extends LimitModel {

	private final Fraction leakPerTick;

	private boolean seen;

	private Fraction excess = Fraction.ZERO;

	private long lastAt;

	LeakyBucketModel(RateLimit limit, long nanosPerTick, boolean debts) {
		super(limit, nanosPerTick, debts);
		this.leakPerTick = Fraction.of(limit.limit(), this.window);
	}

	@Override
	boolean admits(long now, long permits) {
		return permits == 0 || excessOfLast(now, permits).compareTo(Fraction.of(this.limit.burst())) <= 0;
	}

	@Override
	void take(long now, long permits) {
		this.excess = excessOfLast(now, permits);
		this.lastAt = now;
		this.seen = true;
	}

	@Override
	void charge(long now, long permits) {
		Fraction charged = excessOfLast(now, permits).min(Fraction.of(this.most - 1));
		take(now, permits);
		this.excess = charged;
	}

	@Override
	long delay(long now, long permits) {
		Fraction waiting = excessOfLast(now, permits).minus(Fraction.of(this.limit.delay()));
		return waiting.max(Fraction.ZERO).dividedBy(this.leakPerTick).ceil();
	}

	/*
	 * The first permit's excess is 0 for a key that was never seen; each further one at
	 * the same moment has one more.
	 */
	private Fraction excessOfLast(long now, long permits) {
		Fraction first = Fraction.ZERO;
		if (this.seen) {
			Fraction leaked = this.leakPerTick.times(Fraction.of(now - this.lastAt));
			first = this.excess.minus(leaked).plus(Fraction.of(1)).max(Fraction.ZERO);
		}
		return first.plus(Fraction.of(permits - 1));
	}

}
