package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
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

	private long runningBegin;

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
		freezeAndMeasure();
	}

	private Acquisition ledger() {
		return new Acquisition(this.store.clock());
	}

	/* As often as it takes to connect, and so without a permit. */
	private boolean isShared(Acquisition ledger) {
		this.store.clock().advance(TestStore.IMPATIENT.retryInterval());
		List<PermitRequest> looks = this.requests.subList(0, 2)
			.stream()
			.map((request) -> PermitRequest.of(request.limiter(), "key", 0))
			.toList();
		assertThat(ledger.take(looks)).isTrue();
		assertThat(ledger.entries()).hasSize(2);
		return ledger.entries().stream().noneMatch((entry) -> entry.decision().fallback());
	}

	@AfterEach
	void close() {
		this.store.close();
		this.redis.close();
	}

	private void freezeAndMeasure() {
		this.redis.freeze();
		this.begin = System.nanoTime();
		this.runningBegin = RunningTime.nanos();
	}

	private void checkWaitedOnce() {
		assertThat(Duration.ofNanos(System.nanoTime() - this.begin))
			.isGreaterThanOrEqualTo(TestStore.IMPATIENT.timeout());
		checkWaitedAtMostOnce();
	}

	private void checkWaitedAtMostOnce() {
		assertThat(RunningTime.since(this.runningBegin)).isLessThan(LONGEST);
	}

	@Test
	void severalPoliciesInOnePlace() {
		Acquisition ledger = ledger();
		assertThat(ledger.take(this.requests)).isTrue();
		checkWaitedOnce();
		assertThat(ledger.entries()).hasSize(5).allMatch((entry) -> entry.decision().fallback());
	}

	@Test
	void severalPlacesAndCalls() {
		Acquisition ledger = ledger();
		assertThat(ledger.take(this.requests.subList(0, 2))).isTrue();
		assertThat(ledger.take(this.requests.subList(2, 3))).isTrue();
		assertThat(ledger.call("place").take(this.requests.subList(3, 4))).isTrue();
		assertThat(ledger.call("another").take(this.requests.subList(4, 5))).isTrue();
		checkWaitedOnce();
		assertThat(this.store.availability().isAvailable()).as("one failure").isTrue();
	}

	@Test
	void whatWasGivenBefore() {
		this.redis.thaw();
		Acquisition ledger = ledger();
		assertThat(ledger.take(this.requests.subList(0, 3))).isTrue();
		freezeAndMeasure();
		PermitRequest last = this.requests.get(4);
		assertThat(ledger.take(List.of(PermitRequest.of(last.limiter(), "key", 11)))).isFalse();
		checkWaitedAtMostOnce();
	}

}
