package io.github.ratelimit.request;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What calls within a request pay.
 */
class CallAcquisitionTests {

	private static final int REMEMBERED_KEYS = 1024;

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 10_000);

	private final RateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final RateLimiter limiter = bucket("limiter", 10);

	private final RateLimiter narrow = bucket("narrow", 1);

	private final Acquisition request = new Acquisition(this.clock);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aPlaceThatCallsAgainPaysAgain() {
		call("here", 1);
		call("here", 2);
		assertThat(remaining()).isEqualTo(7);
	}

	@Test
	void whatOnePlaceHasPaidCoversTheCallsOfAnother() {
		call("here", 1);
		call("here", 1);
		call("there", 1);
		Acquisition covered = call("there", 1);
		assertThat(remaining()).isEqualTo(8);
		assertThat(covered.entries()).isEmpty();
		call("there", 1);
		assertThat(remaining()).isEqualTo(7);
	}

	@Test
	void whatTheRequestHasPaidCoversItsCalls() {
		assertThat(this.request.take(List.of(of("key", 2)))).isTrue();
		call("here", 3);
		assertThat(remaining()).isEqualTo(7);
	}

	@Test
	void whatItsCallsHavePaidCoversTheRequest() {
		call("here", 2);
		assertThat(this.request.take(List.of(of("key", 2)))).isTrue();
		assertThat(remaining()).isEqualTo(8);
		assertThat(this.request.entries()).isEmpty();
	}

	@Test
	void anotherKeyIsNotCovered() {
		call("here", 1);
		assertThat(this.request.call("there").take(List.of(of("other", 1)))).isTrue();
		assertThat(this.limiter.peek("other").remaining()).isEqualTo(9);
	}

	@Test
	void aRejectedCallHasPaidNothing() {
		PermitRequest hopeless = PermitRequest.of(this.narrow, "key", 2);
		assertThat(this.request.take(List.of(of("other", 1)))).isTrue();
		assertThat(this.request.call("here").take(List.of(of("key", 1), hopeless))).isFalse();
		assertThat(remaining()).isEqualTo(10);
		assertThat(this.limiter.peek("other").remaining()).isEqualTo(9);
		call("there", 1);
		assertThat(remaining()).isEqualTo(9);
	}

	@Test
	void whatOneCallAsksTwiceItTakesOnce() {
		assertThat(this.request.call("here").take(List.of(of("key", 1), of("key", 4)))).isTrue();
		assertThat(remaining()).isEqualTo(6);
	}

	@Test
	void whatTheRequestItselfAsksTwiceItTakesOnce() {
		assertThat(this.request.take(List.of(of("key", 4), of("key", 1)))).isTrue();
		assertThat(remaining()).isEqualTo(6);
	}

	@Test
	void beyondABoundKeysAreNotRememberedAndCoverNothing() {
		for (int i = 0; i <= REMEMBERED_KEYS; i++) {
			assertThat(this.request.call("here").take(List.of(of("key" + i, 1)))).isTrue();
		}
		String last = "key" + (REMEMBERED_KEYS - 1);
		String beyond = "key" + REMEMBERED_KEYS;
		assertThat(this.request.call("there").take(List.of(of(last, 1), of(beyond, 1)))).isTrue();
		assertThat(this.limiter.peek(last).remaining()).isEqualTo(9);
		assertThat(this.limiter.peek(beyond).remaining()).isEqualTo(8);
	}

	private Acquisition call(String place, long permits) {
		Acquisition call = this.request.call(place);
		assertThat(call.take(List.of(of("key", permits)))).isTrue();
		return call;
	}

	private long remaining() {
		return this.limiter.peek("key").remaining();
	}

	private PermitRequest of(String key, long permits) {
		return PermitRequest.of(this.limiter, key, permits);
	}

	private RateLimiter bucket(String name, long limit) {
		return this.registry.register(
				RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1))));
	}

}
