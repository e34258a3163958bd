package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Instances of one application that share overrides, each with a clock of its own.
 */
abstract class SharingInstances {

	final ManualClock serverClock = ManualClock.atMidnight();

	final FakeSharedOverrides shared = new FakeSharedOverrides(this.serverClock);

	final List<Instance> instances = new ArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach(Instance::stop);
	}

	void write(String name, String text) {
		this.shared.write(name, text, null, SharedOverrides.ANY_VERSION, Integer.MAX_VALUE);
	}

	Instance start() {
		Instance instance = new Instance(this.shared);
		this.instances.add(instance);
		instance.registry.start();
		return instance;
	}

	static void assertRefused(Reason reason, Runnable change) {
		assertThatExceptionOfType(RateLimitOverrideException.class).isThrownBy(change::run)
			.returns(reason, RateLimitOverrideException::reason);
	}

	static RateLimitOverride.Target target(String key) {
		return new RateLimitOverride.Target("api", null, key);
	}

	static RateLimitOverride.Builder override(long limit) {
		return RateLimitOverride.of("api").limit(fixed(limit));
	}

	static RateLimit fixed(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofMinutes(1));
	}

	/**
	 * One instance of an application.
	 */
	static final class Instance implements RateLimitStore {

		static final int MAXIMUM = 4;

		final ManualClock clock = ManualClock.atMidnight();

		private final LocalRateLimitStore states = new LocalRateLimitStore(this.clock, 1000);

		private final SharedOverrides shared;

		final StoreRateLimiterRegistry registry;

		final StoreRateLimiter limiter;

		Instance(SharedOverrides shared) {
			this.shared = shared;
			this.registry = new StoreRateLimiterRegistry(this, List.of(), PlanSettings.of(null, this.clock), MAXIMUM,
					null);
			this.limiter = this.registry.register(RateLimitPolicy.of("api", fixed(100)));
		}

		RateLimitOverrides overrides() {
			return this.registry.overrides();
		}

		long limit(String key) {
			return this.limiter.version(key).policy().limits().get(0).limit();
		}

		void stop() {
			this.registry.stop();
			this.states.close();
		}

		@Override
		public String name() {
			return "shared";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return this.states.open(policy);
		}

		@Override
		public SharedOverrides sharedOverrides() {
			return this.shared;
		}

	}

}
