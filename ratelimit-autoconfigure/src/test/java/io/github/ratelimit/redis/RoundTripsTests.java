package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How often a request waits for Redis that asks several policies, on one server and where
 * each has another: all or nothing, in one step or in two.
 */
@ParameterizedClass
@ValueSource(booleans = { false, true })
class RoundTripsTests extends OneServer {

	private static final Duration WINDOW = Duration.ofHours(1);

	@Parameter
	private boolean spread;

	private WatchedRunner way;

	@AutoClose
	private TestStore store;

	private RateLimiterRegistry limiter;

	@BeforeEach
	void open() {
		open(TestStore.FORGETFUL);
	}

	private void open(ResilienceSettings settings) {
		redis.call("FLUSHALL");
		this.store = new TestStore(ClientKind.LETTUCE.standalone(redis.port()), settings, FailureMode.LOCAL,
				(runner) -> {
					this.way = new WatchedRunner(runner, this.spread);
					return this.way;
				});
		this.limiter = this.store.limiter();
	}

	private List<PermitRequest> requests(int count) {
		return IntStream.range(0, count).mapToObj((i) -> PermitRequest.of(limiter("policy" + i), "key", 1)).toList();
	}

	private RateLimiter limiter(String name) {
		RateLimiter known = this.limiter.find(name);
		return (known != null) ? known
				: this.limiter.register(RateLimitPolicy.of(name, TestPolicies.limit(TOKEN_BUCKET, 10, WINDOW)));
	}

	private Acquisition ledger() {
		this.way.roundTrips();
		return new Acquisition(this.store.clock());
	}

	/* Past everything that is counted or remembered. */
	private static long remaining(PermitRequest request) {
		try (TestStore other = TestStore.of(redis, TestStore.FORGETFUL)) {
			return other.open(request.limiter().policy()).decide(request.key(), 0).remaining();
		}
	}

	private static void exhaust(PermitRequest request) {
		try (TestStore other = TestStore.of(redis, TestStore.FORGETFUL)) {
			assertThat(other.open(request.limiter().policy()).decide(request.key(), 10).allowed()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 5 })
	void whoPassesWaitsOnceOrWhereServersAreSeveralTwice(int policies) {
		List<PermitRequest> requests = requests(policies);
		Acquisition ledger = ledger();
		assertThat(ledger.take(requests)).isTrue();
		assertThat(this.way.roundTrips()).isEqualTo((this.spread && policies > 1) ? 2 : 1);
		assertThat(ledger.entries()).extracting(Acquisition.Entry::request).containsExactlyElementsOf(requests);
		assertThat(ledger.entries()).allMatch((entry) -> entry.decision().remaining() == 9);
		assertThat(requests).allMatch((request) -> remaining(request) == 9)
			.allMatch((request) -> request.limiter().count(RateLimitOutcome.ALLOWED) == 1);
	}

	@ParameterizedTest
	@CsvSource({ "1, 0", "2, 0", "2, 1", "3, 0", "3, 2", "5, 0", "5, 4" })
	void whoIsRejectedWaitsNoMoreOftenAndTakesNothing(int policies, int rejecting) {
		List<PermitRequest> requests = requests(policies);
		exhaust(requests.get(rejecting));
		Acquisition ledger = ledger();
		assertThat(ledger.take(requests)).isFalse();
		assertThat(this.way.roundTrips()).isEqualTo((this.spread && policies > 1) ? 2 : 1);
		assertThat(ledger.entries()).containsExactly(ledger.rejection())
			.extracting(Acquisition.Entry::request)
			.containsExactly(requests.get(rejecting));
		for (PermitRequest request : requests) {
			boolean rejects = request == requests.get(rejecting);
			assertThat(remaining(request)).isEqualTo(rejects ? 0 : 10);
			assertThat(request.limiter().count(RateLimitOutcome.REJECTED)).isEqualTo(rejects ? 1 : 0);
			assertThat(request.limiter().count(RateLimitOutcome.ALLOWED)).isZero();
		}
	}

}
