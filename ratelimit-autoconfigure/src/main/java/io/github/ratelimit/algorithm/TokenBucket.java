package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;

/**
 * The token bucket: starts full, refills continuously, and a request takes its permits
 * from the tokens that are there. Tokens that arrive at a full bucket are lost.
 * <p>
 * Source: J. S. Turner, "New directions in communications (or which way to the
 * information age?)", IEEE Communications Magazine 24(10), 1986. The level of the meter
 * is the number of missing tokens.
 */
final class TokenBucket extends MeteredAlgorithm {

	TokenBucket(RateLimit limit, Tick resolution, boolean debts) {
		super(limit, resolution, debts);
	}

	@Override
	long delay(long level) {
		return 0;
	}

}
