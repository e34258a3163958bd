package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real server answers, but with errors: no caller sees them, and it decides again as
 * soon as they are over.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
class ServerErrorTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000, Duration.ofDays(20)));

	@Parameter
	private ClientKind client;

	private final TestRedis redis = TestRedis.start();

	private TestStore store;

	private PolicyDecider states;

	@BeforeEach
	void open() {
		this.store = new TestStore(this.client.standalone(this.redis.port()), TestStore.IMPATIENT, FailureMode.LOCAL);
		this.states = this.store.open(POLICY);
		OutageWatch.awaitRecovery(this.store, this.states);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.redis.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NOREPLICAS | CONFIG SET min-replicas-to-write 1           | CONFIG SET min-replicas-to-write 0
			NOPERM     | ACL SETUSER default -evalsha                 | ACL SETUSER default +evalsha
			MASTERDOWN | CONFIG SET replica-serve-stale-data no, REPLICAOF 127.0.0.1 1 | REPLICAOF NO ONE
			""")
	void fallsBackUntilTheErrorIsOver(String error, String begin, String end) {
		for (String command : begin.split(", ")) {
			this.redis.call(command.split(" "));
		}
		for (int i = 0; i <= TestStore.FAILURES; i++) {
			assertThat(this.states.decide("key", 1).fallback()).isTrue();
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).contains(error);
		this.redis.call(end.split(" "));
		OutageWatch.awaitRecovery(this.store, this.states);
		assertThat(this.states.decide("key", 1).fallback()).isFalse();
		assertThat(this.store.availability().isAvailable()).isTrue();
	}

}
