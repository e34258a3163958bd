package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Policies that inform, beside one that is enforced: Redis is asked once more for each of
 * them, and for nothing that it rejects.
 */
class RedisInformTests extends OneServer {

	private final TestStore store = TestStore.of(redis, TestStore.FORGETFUL);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store.store(), List.of());

	private final StoreRateLimiter informing = register("informing", 1, RateLimitMode.INFORM);

	private final StoreRateLimiter enforced = register("enforced", 3, RateLimitMode.ENFORCE);

	private StoreRateLimiter register(String name, long limit, RateLimitMode mode) {
		return this.registry.register(RateLimitPolicy.builder(name)
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofDays(31)))
			.mode(mode)
			.build());
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	private Acquisition take(boolean waits, StoreRateLimiter... limiters) {
		Acquisition acquisition = new Acquisition(new WaitingRoom(this.store.clock(), 9));
		List<PermitRequest> requests = List.of(limiters)
			.stream()
			.map((limiter) -> PermitRequest.of(limiter, "key", 1))
			.toList();
		if (waits) {
			acquisition.take(requests);
		}
		else {
			ReactivePermits.take(acquisition, requests).block();
		}
		return acquisition;
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whatExceedsPassesBesideWhatIsEnforced(boolean waits) {
		for (int i = 0; i < 3; i++) {
			int before = this.store.calls();
			Acquisition taken = take(waits, this.informing, this.enforced);
			assertThat(taken.rejection()).isNull();
			assertThat(taken.entries()).extracting((entry) -> entry.policy().name())
				.containsExactly("enforced", "informing");
			assertThat(taken.entries().get(1).decision().exceeded()).isEqualTo(i > 0);
			assertThat(this.store.calls() - before).isEqualTo(2);
		}
		int before = this.store.calls();
		Acquisition rejected = take(waits, this.informing, this.enforced);
		assertThat(rejected.rejection()).isNotNull();
		assertThat(this.store.calls() - before).isEqualTo(1);
		assertThat(this.informing.count(RateLimitOutcome.EXCEEDED)).isEqualTo(2);
		assertThat(this.enforced.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aloneItIsAskedOnce(boolean waits) {
		for (int i = 0; i < 3; i++) {
			int before = this.store.calls();
			RateLimitDecision decision = take(waits, this.informing).entries().get(0).decision();
			assertThat(decision.allowed()).isTrue();
			assertThat(decision.exceeded()).isEqualTo(i > 0);
			assertThat(this.store.calls() - before).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aRejectionThatIsRememberedIsLetPassWithoutACall(boolean waits) {
		try (TestStore remembering = TestStore.of(redis, TestStore.PATIENT)) {
			StoreRateLimiter limiter = new StoreRateLimiterRegistry(remembering.store(), List.of())
				.register(this.informing.policy());
			take(waits, limiter);
			take(waits, limiter);
			int before = remembering.calls();
			assertThat(take(waits, limiter).entries().get(0).decision().exceeded()).isTrue();
			assertThat(remembering.calls()).isEqualTo(before);
		}
	}

}
