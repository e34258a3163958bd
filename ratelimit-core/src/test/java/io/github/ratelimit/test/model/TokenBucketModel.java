package io.github.ratelimit.test.model;

import io.github.ratelimit.RateLimit;

/**
 * A bucket of tokens, counted in exact fractions.
 */
final class TokenBucketModel extends LimitModel {

	private final Fraction tokensPerTick;

	private Fraction tokens;

	private long countedAt;

	TokenBucketModel(RateLimit limit, long nanosPerTick, boolean debts) {
		super(limit, nanosPerTick, debts);
		this.tokensPerTick = Fraction.of(limit.limit(), this.window);
		this.tokens = Fraction.of(limit.burst());
	}

	@Override
	boolean admits(long now, long permits) {
		return permits == 0 || tokens(now).compareTo(Fraction.of(permits)) >= 0;
	}

	@Override
	void take(long now, long permits) {
		this.tokens = tokens(now).minus(Fraction.of(permits));
		this.countedAt = now;
	}

	@Override
	void charge(long now, long permits) {
		Fraction fewest = Fraction.of(this.limit.burst() - this.most);
		this.tokens = tokens(now).minus(Fraction.of(permits)).max(fewest);
		this.countedAt = now;
	}

	private Fraction tokens(long now) {
		Fraction refilled = this.tokensPerTick.times(Fraction.of(now - this.countedAt));
		return this.tokens.plus(refilled).min(Fraction.of(this.limit.burst()));
	}

}
