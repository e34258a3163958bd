package io.github.ratelimit.request;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * What acquires permits of policies in the store of this process, on a clock that a test
 * moves.
 */
abstract class Acquiring {

	final ManualClock clock = ManualClock.atMidnight();

	final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 10_000);

	StoreRateLimiterRegistry registry;

	private final Asking asking;

	/* The mode of the policies with a charge. */
	RateLimitMode mode = RateLimitMode.ENFORCE;

	final PlainRequest request = new PlainRequest(this.clock);

	Acquiring() {
		this(Asking.HERE);
	}

	Acquiring(Asking asking) {
		this.asking = asking;
		this.registry = registry(store());
	}

	@AfterEach
	final void close() {
		this.local.close();
	}

	static StoreRateLimiterRegistry registry(RateLimitStore store, RateLimitListener... listeners) {
		return new StoreRateLimiterRegistry(store, List.of(listeners));
	}

	final RateLimitStore store() {
		return store(this.local);
	}

	final RateLimitStore store(RateLimitStore deciding) {
		return this.asking.of(deciding);
	}

	final StoreRateLimiter policy(String name, RateLimit... limits) {
		return this.registry.register(RateLimitPolicy.of(name, limits));
	}

	final StoreRateLimiter bucket(String name, long limit) {
		return policy(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1)));
	}

	/* It lets one pass a second, and the others wait. */
	final StoreRateLimiter queue(String name) {
		return policy(name,
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(1)
					.window(Duration.ofSeconds(1))
					.burst(1000L)
					.build());
	}

	static PermitRequest of(RateLimiter policy, String key, long permits) {
		return PermitRequest.of(policy, key, permits);
	}

	final PermitRequest charged(String policy, String cost, String charge) {
		return charged(policy, cost, charge, Map.of());
	}

	/* A policy of ten permits, whose charge is the first that it is asked with. */
	final PermitRequest charged(String policy, String cost, String charge, Map<String, String> headers) {
		StoreRateLimiter existing = this.registry.find(policy);
		StoreRateLimiter limiter = (existing != null) ? existing
				: this.registry.register(RateLimitPolicy.builder(policy)
					.charge(charge.isEmpty() ? null : charge)
					.mode(this.mode)
					.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1)))
					.build());
		Charge written = charge.isEmpty() ? null : new WrittenCharge(charge, headers);
		return new PermitRequest(limiter.effectivePolicy("all"), "all", Long.parseLong(cost), written);
	}

	final boolean take(PermitRequest... requests) {
		return take(this.request, Arrays.asList(requests));
	}

	final boolean take(Acquisition acquisition, List<PermitRequest> requests) {
		return this.asking.take(acquisition, requests);
	}

	final void refundUncharged() {
		this.asking.refundUncharged(this.request);
	}

	final void settle() {
		this.request.settleBy(new CallOutcome(200, null, null, false));
	}

	static long remaining(PermitRequest request) {
		return request.limiter().peek(request.key()).remaining();
	}

	static final class PlainRequest extends LimitedHttpRequest {

		PlainRequest(RateLimitClock clock) {
			super(new WaitingRoom(clock, 5), Long.MAX_VALUE);
		}

		@Override
		public @Nullable RequestView view() {
			return null;
		}

	}

}
