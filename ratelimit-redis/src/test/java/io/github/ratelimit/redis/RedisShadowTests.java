package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Shadow in Redis: nobody waits for it, and nothing depends on it.
 */
class RedisShadowTests {

	private static final RateLimit FEW = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 2, Duration.ofHours(1));

	private static final RateLimit MANY = TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 100, Duration.ofHours(1));

	private TestRedis redis;

	private TestStore store;

	@BeforeEach
	void start() {
		this.redis = TestRedis.start();
	}

	@AfterEach
	void stop() {
		this.store.close();
		this.redis.close();
	}

	private RateLimiterRegistry open(ClientKind client, ResilienceSettings settings) {
		this.store = new TestStore(client.standalone(this.redis.port()), settings, FailureMode.REJECT);
		PolicyDecider states = this.store.open(RateLimitPolicy.of("connected", MANY));
		TestRedis.await(() -> {
			this.store.clock().advance(settings.retryInterval());
			return !states.decide("key", 1).unavailable();
		});
		return this.store.limiter();
	}

	private static RateLimiter tried(RateLimiterRegistry registry) {
		return registry.register(RateLimitPolicy.builder("tried").limit(FEW).mode(RateLimitMode.SHADOW).build());
	}

	private static RateLimiter both(RateLimiterRegistry registry) {
		return registry.register(RateLimitPolicy.builder("both").limit(MANY).shadowLimits(List.of(FEW)).build());
	}

	private boolean passes(RateLimiter limiter) {
		Acquisition request = new Acquisition(new WaitingRoom(this.store.clock(), 9));
		return request.take(List.of(PermitRequest.of(limiter, "key", 1)));
	}

	private static RateLimitShadow shadow(RateLimiter limiter) {
		RateLimitShadow shadow = limiter.shadow();
		assertThat(shadow).isNotNull();
		return shadow;
	}

	private static long decided(RateLimitShadow shadow) {
		return Arrays.stream(RateLimitOutcome.values()).mapToLong(shadow::count).sum();
	}

	@ParameterizedTest
	@EnumSource
	void whatWouldHaveBeenRejectedIsCountedWhenTheAnswersCome(ClientKind client) {
		RateLimiterRegistry registry = open(client, TestStore.PATIENT);
		RateLimiter tried = tried(registry);
		RateLimiter both = both(registry);
		for (int i = 0; i < 5; i++) {
			assertThat(passes(tried)).isTrue();
			assertThat(passes(both)).isTrue();
		}
		TestRedis.await(() -> decided(shadow(tried)) == 5 && decided(shadow(both)) == 5);
		assertThat(shadow(tried).count(RateLimitOutcome.REJECTED)).isEqualTo(3);
		assertThat(shadow(both).count(RateLimitOutcome.REJECTED)).isEqualTo(3);
		assertThat(shadow(both).rejectedKeys()).isEqualTo(1);
		assertThat(both.count(RateLimitOutcome.ALLOWED)).isEqualTo(5);
		assertThat(this.redis.number("EXISTS", "test:{both/shadow:key}")).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void whileRedisIsGoneShadowDoesNothing(ClientKind client) {
		RateLimiterRegistry registry = open(client, TestStore.PATIENT);
		RateLimiter tried = tried(registry);
		passes(tried);
		TestRedis.await(() -> decided(shadow(tried)) == 1);
		this.redis.kill();
		for (int i = 0; i < 20; i++) {
			assertThat(passes(tried)).isTrue();
			assertThat(tried.decide("key", 1).allowed()).isTrue();
		}
		TestRedis.await(() -> shadow(tried).dropped() == 40);
		assertThat(decided(shadow(tried))).isEqualTo(1);
		assertThat(tried.fallbacks()).isZero();
		assertThat(tried.peek("key").fallback()).isTrue();
		assertThatIllegalStateException().isThrownBy(() -> tried.reset("key"));
		this.redis.startAgain();
		awaitMoreDecisions(tried);
	}

	private void awaitMoreDecisions(RateLimiter tried) {
		TestRedis.await(() -> {
			this.store.clock().advance(TestStore.PATIENT.retryInterval());
			passes(tried);
			return decided(shadow(tried)) > 1;
		});
	}

	@ParameterizedTest
	@EnumSource
	void aServerThatHangsHoldsNobodyUpAndWhatIsTooMuchIsDropped(ClientKind client) {
		RateLimiterRegistry registry = open(client, TestStore.PATIENT);
		RateLimiter tried = tried(registry);
		passes(tried);
		TestRedis.await(() -> decided(shadow(tried)) == 1);
		this.redis.freeze();
		try {
			CompletableFuture<Void> requests = CompletableFuture.runAsync(() -> {
				for (int i = 0; i < 10_000; i++) {
					assertThat(passes(tried)).isTrue();
				}
			});
			assertThat(requests.orTimeout(60, TimeUnit.SECONDS)).succeedsWithin(Duration.ofMinutes(1));
			assertThat(shadow(tried).dropped()).isBetween(10_000L - 256, 10_000L);
		}
		finally {
			this.redis.thaw();
		}
		awaitMoreDecisions(tried);
	}

	@Test
	void afterItsEndShadowDoesNothing() {
		RateLimiter tried = tried(open(ClientKind.LETTUCE, TestStore.PATIENT));
		this.store.closeStore();
		assertThat(passes(tried)).isTrue();
		TestRedis.await(() -> shadow(tried).dropped() == 1);
	}

}
