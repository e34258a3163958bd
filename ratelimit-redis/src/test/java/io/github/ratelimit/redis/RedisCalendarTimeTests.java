package io.github.ratelimit.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The server's clock picks among the windows that an application hands over, however far
 * from it the application's is.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisCalendarTimeTests extends AloneAndAmongLooks {

	@BeforeEach
	void begin() {
		moveTo("1999-06-10T12:00:00Z");
	}

	private static void moveTo(String moment) {
		long now = Duration.between(Instant.EPOCH, Instant.parse(moment)).toNanos();
		server.clock().advanceNanos(now - server.clock().nanos());
	}

	private static PolicyDecider open(RateLimit... limits) {
		return server.open(RateLimitPolicy.of("quota", limits));
	}

	private static RateLimit limit(long limit, String period) {
		return CalendarModel.limit(limit, period, "Europe/Berlin", null);
	}

	private static void assertCalls(int expected, Runnable action) {
		int before = server.calls();
		action.run();
		assertThat(server.calls() - before).isEqualTo(expected);
	}

	@Test
	void onlyTheFirstCallTakesTwoRoundTrips() {
		PolicyDecider states = open(limit(10, "P1M"));
		assertCalls(2, () -> assertThat(states.decide("key", 1).remaining()).isEqualTo(9));
		assertCalls(1, () -> assertThat(states.decide("key", 1).remaining()).isEqualTo(8));
		assertCalls(1, () -> assertThat(states.decide("other", 1).remaining()).isEqualTo(9));
	}

	@Test
	void theNextWindowIsKnownBeforeItBeginsAndOneAfterAnIdleTimeIsAskedFor() {
		PolicyDecider states = open(limit(10, "P1M"));
		states.decide("key", 1);
		for (String moment : List.of("1999-06-30T21:59:59.999999Z", "1999-06-30T22:00:00Z", "1999-08-15T00:00:00Z",
				"1999-07-31T00:00:00Z", "1999-08-31T21:00:00Z")) {
			moveTo(moment);
			assertCalls(1, () -> assertThat(states.decide("key", 1).allowed()).isTrue());
		}
		moveTo("1999-12-15T00:00:00Z");
		assertCalls(2, () -> assertThat(states.decide("key", 1).remaining()).isEqualTo(9));
		assertCalls(1, () -> assertThat(states.decide("key", 1).remaining()).isEqualTo(8));
	}

	@Test
	void aPresentClockNeedsNoSecondRoundTrip() {
		moveTo(Instant.now().toString());
		PolicyDecider states = open(limit(10, "P1D"), limit(20, "P1W"), limit(30, "P1M"), limit(40, "P1Y"));
		assertCalls(1, () -> assertThat(states.decide("key", 1).allowed()).isTrue());
	}

	@Test
	void whatNobodyWaitsForIsRunAgainToo() throws Exception {
		RateLimitPolicy policy = RateLimitPolicy.builder("quota").charge("true").limit(limit(10, "P1M")).build();
		RateLimitDecision given = answer(server.open(policy).decideAsync("key", 4));
		assertThat(given.remaining()).isEqualTo(6);
		answer(server.open(policy).settleAsync("key", 1, 0, given));
		assertThat(server.open(policy).decide("key", 0).remaining()).isEqualTo(7);
		answer(server.open(policy).settleAsync("key", 1, 3, given));
		assertThat(server.open(policy).decide("key", 0).remaining()).isEqualTo(5);
		server.open(policy).refund("key", 2, given);
		server.open(policy).settle("key", 0, 1, given);
		assertThat(server.open(policy).decideWithoutDelay("key", 0).remaining()).isEqualTo(6);
	}

	private static <T> T answer(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
	}

	@Test
	void severalPoliciesInOneCallAreRunAgainTogether() {
		List<PolicyDecider> states = List.of(
				server.open(RateLimitPolicy.of("minute", RateLimit.of(TOKEN_BUCKET, 5, Duration.ofMinutes(1)))),
				server.open(RateLimitPolicy.of("month", limit(2, "P1M"))),
				server.open(RateLimitPolicy.of("day", limit(3, "P1D"))));
		assertCalls(2,
				() -> assertThat(server.decideTogether(states, new long[] { 1, 2, 1 }))
					.extracting(RateLimitDecision::remaining)
					.containsExactly(4L, 0L, 2L));
		assertCalls(1,
				() -> assertThat(server.decideTogether(states, new long[] { 1, 1, 1 }))
					.extracting(RateLimitDecision::allowed)
					.containsExactly(true, false, true));
		moveTo("1999-07-01T12:00:00Z");
		assertThat(server.decideTogether(states, new long[] { 1, 1, 1 })).extracting(RateLimitDecision::remaining)
			.containsExactly(4L, 1L, 2L);
	}

	@Test
	void aServerWhoseTimeIsNeverTheSameIsAFailure() {
		ScriptCall<byte[]> call = new ScriptCall<>(server.time(),
				ScriptCall.Script.of("return struct.pack('<d', 1)", ""), new byte[] { 'k' }) {

			@Override
			byte[][] arguments() {
				return new byte[0][];
			}

			@Override
			boolean takeMoment(long now) {
				return true;
			}

			@Override
			byte[] read(byte[] answer) {
				return answer;
			}

		};
		assertThatExceptionOfType(StoreCallException.class).isThrownBy(call.start(deadline())::await)
			.withMessageContaining("time keeps changing");
		RemoteStore.Answer<byte[]> answer = call.start(deadline());
		assertThat(answer.later(answer::await)).failsWithin(Duration.ofMinutes(1));
	}

	private static Deadline deadline() {
		return Deadline.after(TestStore.PATIENT.timeout());
	}

	@Test
	void aWindowOfAnHourThatIsMadeAMonthKeepsWhatWasTakenUnlessItIsOver() {
		RateLimit hour = RateLimit.of(FIXED_WINDOW_COUNTER, 10, Duration.ofHours(1));
		open(hour).decide("key", 4);
		open(hour).decide("other", 4);
		assertThat(open(limit(10, "P1M")).decide("key", 1).remaining()).isEqualTo(5);
		moveTo("1999-06-10T13:00:00Z");
		assertThat(open(limit(10, "P1M")).decide("key", 1).remaining()).isEqualTo(4);
		assertThat(open(limit(10, "P1M")).decide("other", 1).remaining()).isEqualTo(9);
	}

	@Test
	void whatWasCountedByTheMonthIsNoUnreadableStateToAnotherAlgorithm(CapturedOutput output) {
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			open(limit(10, "P1M")).decide("key", 4);
			open(RateLimit.of(algorithm, 10, Duration.ofHours(1))).decide("key", 0);
		}
		assertThat(output).doesNotContain("held something in Redis");
	}

	@Test
	void aStateThatIsStrangeBeginsAnew() {
		PolicyDecider states = open(limit(10, "P1M"));
		states.decide("key", 4);
		server.redis().call("SETRANGE", "test:{quota:key}", "28", "\u007f\u007f\u007f\u007f\u007f\u007f\u007f\u007f");
		assertThat(states.decide("key", 1).remaining()).isEqualTo(9);
		assertThat(states.decide("key", 1).remaining()).isEqualTo(8);
	}

}
