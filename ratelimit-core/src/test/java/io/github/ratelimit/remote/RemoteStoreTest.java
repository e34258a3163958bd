package io.github.ratelimit.remote;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;

/**
 * A store over a network that can fail, and what decides in its place.
 */
abstract class RemoteStoreTest {

	static final Duration INTERVAL = Duration.ofSeconds(1);

	static final ResilienceSettings SETTINGS = settings(INTERVAL, 1);

	static final RateLimit TEN = limit(10);

	final ManualClock clock = ManualClock.atMidnight();

	final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 20_000);

	final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 20_000);

	final FakeRemoteStore remote;

	RemoteStoreTest() {
		this(false);
	}

	RemoteStoreTest(boolean spread) {
		this.remote = new FakeRemoteStore(this.shared, spread);
	}

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
	}

	static ResilienceSettings settings(Duration rejectionMemory, int instances) {
		return new ResilienceSettings(Duration.ofSeconds(20), INTERVAL, rejectionMemory, instances);
	}

	static RateLimit limit(long permitsADay) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, permitsADay, Duration.ofDays(1));
	}

	ResilientStore store(FailureMode mode) {
		return store(mode, SETTINGS);
	}

	ResilientStore store(FailureMode mode, ResilienceSettings settings) {
		return new ResilientStore(this.remote, settings, (policy) -> mode, this.local::open, null, this.clock);
	}

	void breakDown(PolicyDecider states) {
		this.remote.fails = true;
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			states.decide("breaks", 0);
		}
		this.remote.asked();
	}

	/* The server answers again, and may be asked. */
	void mend() {
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
	}

}
