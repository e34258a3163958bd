package io.github.ratelimit.local;

import io.github.ratelimit.CalendarWindowContract;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AutoClose;

/**
 * Windows of a calendar in this process.
 */
class LocalCalendarWindowTests extends CalendarWindowContract {

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	@Override
	protected ManualClock clock() {
		return this.clock;
	}

	@Override
	protected PolicyDecider open(RateLimitPolicy policy) {
		this.store.close();
		this.store = new LocalRateLimitStore(this.clock, 100);
		return this.store.open(policy);
	}

	@Override
	protected int traces() {
		return 3000;
	}

}
