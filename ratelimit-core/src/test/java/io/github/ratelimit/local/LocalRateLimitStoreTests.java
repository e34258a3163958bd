package io.github.ratelimit.local;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.RateLimitStoreContract;
import org.junit.jupiter.api.AutoClose;

/**
 * {@link LocalRateLimitStore} decides as every store must.
 */
class LocalRateLimitStoreTests extends RateLimitStoreContract {

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	@Override
	protected PolicyDecider open(RateLimitPolicy policy) {
		this.store.close();
		this.store = new LocalRateLimitStore(this.clock, 100);
		return this.store.open(policy);
	}

	@Override
	protected boolean hasDebts() {
		return true;
	}

	@Override
	protected boolean reserves() {
		return true;
	}

	@Override
	protected boolean hasBans() {
		return true;
	}

	@Override
	protected long now() {
		return this.clock.nanos();
	}

	@Override
	protected void advance(long nanos) {
		this.clock.advanceNanos(nanos);
	}

	@Override
	protected void stepBack(long nanos) {
		this.clock.advanceNanos(-nanos);
	}

}
