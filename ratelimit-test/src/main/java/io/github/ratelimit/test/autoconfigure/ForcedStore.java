package io.github.ratelimit.test.autoconfigure;

import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * The application's store, which decides unless an outcome is forced.
 */
final class ForcedStore implements RateLimitStore {

	static final String BEAN_NAME = "rateLimitForcedStore";

	private final RateLimitStore store;

	private final RateLimitOutcomes outcomes;

	private final RateLimitClock clock;

	ForcedStore(RateLimitStore store, RateLimitOutcomes outcomes, RateLimitClock clock) {
		this.store = store;
		this.outcomes = outcomes;
		this.clock = clock;
	}

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return new ForcedDecider(this.store.open(policy), policy, this.outcomes, this.clock);
	}

	@Override
	public @Nullable Supplier<RateLimitSession> sessions() {
		Supplier<RateLimitSession> sessions = this.store.sessions();
		return (sessions != null) ? () -> new ForcedSession(sessions.get()) : null;
	}

	@Override
	public boolean forgetAll() {
		return this.store.forgetAll();
	}

	@Override
	public @Nullable SharedOverrides sharedOverrides() {
		return this.store.sharedOverrides();
	}

	@Override
	public @Nullable RateLimitStoreAvailability availability() {
		return this.store.availability();
	}

}
