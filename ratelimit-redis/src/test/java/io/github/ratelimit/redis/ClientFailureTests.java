package io.github.ratelimit.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.ForeignDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Whatever a client library throws, and whatever a server answers, is a failure of Redis.
 */
class ClientFailureTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofHours(1)));

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 1000);

	private final BrokenClient client = new BrokenClient();

	private final RedisRateLimitStore store = new RedisRateLimitStore(this.client, "test", TestStore.PATIENT,
			(policy) -> FailureMode.LOCAL, this.local::open, this.local.memories(), this.clock);

	private final PolicyDecider states = this.store.open(POLICY);

	static Stream<Exception> failures() {
		return Stream.of(new CancellationException(), new IllegalStateException("shut down"),
				new NullPointerException(), new UnsupportedOperationException("not here"), new IOException("reset"),
				new InterruptedException(), new Exception(new RuntimeException()));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void noExceptionReachesACaller(Exception failure) {
		RateLimitDecision given = RateLimitDecisions.allowed(0, 9, 0, 0, 0);
		this.client.failure = failure;
		assertThat(this.states.decide("key", 1).fallback()).isTrue();
		this.clock.advance(TestStore.PATIENT.retryInterval());
		this.states.refund("key", 1, given);
		assertThatIllegalStateException().isThrownBy(() -> this.states.reset("key"))
			.withMessageContaining("was not reset");
		this.clock.advance(TestStore.PATIENT.retryInterval());
		RateLimitSession session = this.store.sessions().get();
		assertThat(session.decide(List.of(Question.of(this.states, "key", 1, false)))).singleElement()
			.satisfies((decision) -> assertThat(decision.fallback()).isTrue());
		session.refund(List.of(new Given(this.states, "key", 1, given)));
		assertThat(this.client.calls).isBetween(4, 5);
	}

	@Test
	void aReceiptThatCannotBeReadIsNoFailureOfTheServer() {
		RateLimitDecision foreign = ForeignDecision.mock();
		for (int i = 0; i < 10; i++) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.states.refund("key", 1, foreign));
		}
		assertThat(this.store.availability().isAvailable()).isTrue();
		assertThat(this.client.calls).isZero();
	}

	static Stream<byte[]> answers() {
		return Stream.of(new byte[0], new byte[] { 1, 2, 3 }, new byte[9], null);
	}

	@ParameterizedTest
	@MethodSource("answers")
	void anAnswerThatCannotBeReadIsAFailure(byte[] answer) {
		this.client.answer = answer;
		assertThat(this.states.decide("key", 1).fallback()).isTrue();
		assertThat(this.client.calls).isEqualTo(1);
	}

	@Test
	void anErrorOfTheVirtualMachineIsNot() {
		this.client.failure = new OutOfMemoryError("for this test");
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.states.decide("key", 1));
	}

	/**
	 * A client that fails, also with what its methods do not declare.
	 */
	private static final class BrokenClient implements ScriptRunner {

		private Throwable failure;

		private byte[] answer = {};

		private int calls;

		@Override
		public void connect() {
		}

		@Override
		public <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
			this.calls++;
			return (this.failure != null) ? AnsweredCall.failed(call, this.failure)
					: AnsweredCall.of(call, this.answer);
		}

		@Override
		public String node(byte[] key) {
			return "";
		}

		@Override
		public void close() {
		}

	}

}
