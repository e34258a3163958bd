package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.Acquisition;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.enforce.PermitRequest;
import io.github.ratelimit.resilience.FailureMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that hangs makes a request wait for one time-out, whatever it asks and calls.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
class OneDeadlineTests {

	private static final Duration LONGEST = TestStore.IMPATIENT.timeout().plusMillis(400);

	@Parameter
	private ClientKind client;

	private final TestRedis redis = TestRedis.start();

	private TestStore store;

	private List<PermitRequest> requests;

	private long begin;

	@BeforeEach
	void freeze() {
		this.store = new TestStore(this.client.standalone(this.redis.port()), TestStore.IMPATIENT, FailureMode.LOCAL);
		RateLimiterRegistry limiter = this.store.limiter();
		this.requests = IntStream.range(0, 5)
			.mapToObj(
					(i) -> PermitRequest.of(
							limiter.register(RateLimitPolicy.of("policy" + i,
									TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofHours(1)))),
							"key", 1))
			.toList();
		TestRedis.await(() -> isShared(ledger()));
		this.redis.freeze();
		this.begin = System.nanoTime();
	}

	private Acquisition ledger() {
		return new Acquisition(this.store.clock());
	}

	private boolean isShared(Acquisition ledger) {
		assertThat(ledger.take(this.requests.subList(0, 2))).isTrue();
		return ledger.entries().stream().noneMatch((entry) -> entry.decision().fallback());
	}

	@AfterEach
	void close() {
		this.store.close();
		this.redis.close();
	}

	private Duration waited() {
		return Duration.ofNanos(System.nanoTime() - this.begin);
	}

	@Test
	void severalPoliciesInOnePlace() {
		Acquisition ledger = ledger();
		assertThat(ledger.take(this.requests)).isTrue();
		assertThat(waited()).isBetween(TestStore.IMPATIENT.timeout(), LONGEST);
		assertThat(ledger.entries()).hasSize(5).allMatch((entry) -> entry.decision().fallback());
	}

	@Test
	void severalPlacesAndCalls() {
		Acquisition ledger = ledger();
		assertThat(ledger.take(this.requests.subList(0, 2))).isTrue();
		assertThat(ledger.take(this.requests.subList(2, 3))).isTrue();
		assertThat(ledger.call("place").takeOnce(this.requests.subList(3, 4))).isTrue();
		assertThat(ledger.call("another").takeOnce(this.requests.subList(4, 5))).isTrue();
		assertThat(waited()).isBetween(TestStore.IMPATIENT.timeout(), LONGEST);
		assertThat(this.store.availability().isAvailable()).as("one failure").isTrue();
	}

	@Test
	void whatWasGivenBefore() {
		this.redis.thaw();
		Acquisition ledger = ledger();
		assertThat(ledger.take(this.requests.subList(0, 3))).isTrue();
		this.redis.freeze();
		this.begin = System.nanoTime();
		PermitRequest last = this.requests.get(4);
		assertThat(ledger.take(List.of(PermitRequest.of(last.limiter(), "key", 11)))).isFalse();
		assertThat(waited()).isLessThan(LONGEST);
	}

}
