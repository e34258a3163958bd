package io.github.ratelimit.resilience;

import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

/**
 * The availability as requests have found it, and as a probe has while there are none.
 */
final class ProbedAvailability implements RateLimitStoreAvailability {

	private final RateLimitStoreAvailability requests;

	private final Probe probe;

	ProbedAvailability(RateLimitStoreAvailability requests, Probe probe) {
		this.requests = requests;
		this.probe = probe;
	}

	@Override
	public void check() {
		this.probe.check();
	}

	@Override
	public boolean isAvailable() {
		return this.requests.isAvailable() && this.probe.failure() == null;
	}

	@Override
	public long outages() {
		return this.requests.outages();
	}

	@Override
	public @Nullable String failure() {
		String failure = this.requests.failure();
		return (failure != null) ? failure : this.probe.failure();
	}

}
