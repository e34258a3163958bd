package io.github.ratelimit.actuate;

import io.github.ratelimit.store.RateLimitStoreAvailability;

/**
 * A store that is out of reach for the third time.
 */
final class Unavailable implements RateLimitStoreAvailability {

	int checks;

	@Override
	public void check() {
		this.checks++;
	}

	@Override
	public boolean isAvailable() {
		return false;
	}

	@Override
	public long outages() {
		return 3;
	}

	@Override
	public String failure() {
		return "connection refused";
	}

}
