package io.github.ratelimit.test.assertj;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Each assertion about a decision or a standing holds where it should, and fails with it
 * elsewhere.
 */
class RateLimitAssertionsTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final RateLimitDecision ALLOWED = RateLimitDecisions.allowed(0, 4, 0, SECOND, SECOND);

	private static final RateLimitDecision DELAYED = RateLimitDecisions.allowed(0, 4, SECOND, SECOND, SECOND);

	private static final RateLimitDecision REJECTED = RateLimitDecisions.rejected(0, 0, SECOND, SECOND, SECOND);

	private static final RateLimitDecision NEVER = RateLimitDecisions.rejected(0, 4, LimitStatus.NEVER, 0, 0);

	private static final RateLimitDecision BANNED = RateLimitDecisions.banned(0, 2 * SECOND);

	private static final RateLimitDecision UNAVAILABLE = RateLimitDecisions.unavailable(0, SECOND);

	private static final RateLimitStanding USED = standing(2, 1);

	private static final RateLimitStanding FULL = standing(0, 2);

	private static final RateLimitStanding BANNED_KEY = mock(RateLimitStanding.class, "a banned key");

	static {
		given(BANNED_KEY.banned()).willReturn(true);
	}

	private static RateLimitStanding standing(long remaining, long seconds) {
		RateLimitStanding standing = mock(RateLimitStanding.class, remaining + " left");
		given(standing.remaining()).willReturn(remaining);
		given(standing.resetAfter()).willReturn(Duration.ofSeconds(seconds));
		given(standing.nextPermitAfter()).willReturn(Duration.ofSeconds(seconds));
		return standing;
	}

	static Stream<Arguments> assertions() {
		return Stream.of(failing(DELAYED, REJECTED, RateLimitDecisionAssert::isAllowed, "to allow the request"),
				failing(REJECTED, DELAYED, RateLimitDecisionAssert::isRateLimited, "to reject the request"),
				failing(BANNED, UNAVAILABLE, RateLimitDecisionAssert::isRateLimited, "to reject the request"),
				failing(RateLimitDecisions.asExceeded(REJECTED), ALLOWED, RateLimitDecisionAssert::isExceeded,
						"although the limit was exceeded"),
				failing(BANNED, REJECTED, RateLimitDecisionAssert::isBanned, "because of a ban"),
				failing(UNAVAILABLE, BANNED, RateLimitDecisionAssert::isUnavailable, "could not decide"),
				failing(DELAYED, ALLOWED, (decision) -> decision.hasOutcome(RateLimitOutcome.DELAYED),
						"the outcome DELAYED"),
				failing(DELAYED, ALLOWED, (decision) -> decision.hasDelay(Duration.ofSeconds(1)), "the delay PT1S"),
				failing(REJECTED, BANNED, (decision) -> decision.hasRetryAfter(Duration.ofSeconds(1)), "PT1S"),
				failing(REJECTED, NEVER, (decision) -> decision.hasRetryAfter(Duration.ofSeconds(1)), "PT1S"),
				failing(ALLOWED, REJECTED, (decision) -> decision.hasRemaining(4), "4 remaining"),
				standing(USED, FULL, (standing) -> standing.hasRemaining(2), "2 remaining"),
				standing(USED, FULL, (standing) -> standing.hasResetAfter(Duration.ofSeconds(1)), "reset after PT1S"),
				standing(FULL, USED, (standing) -> standing.hasNextPermitAfter(Duration.ofSeconds(2)),
						"next permit after PT2S"),
				standing(BANNED_KEY, USED, RateLimitStandingAssert::isBanned, "to be banned"));
	}

	private static Arguments failing(RateLimitDecision holds, RateLimitDecision fails,
			Consumer<RateLimitDecisionAssert> assertion, String message) {
		return arguments((Runnable) () -> assertion.accept(assertThat(holds)),
				(Runnable) () -> assertion.accept(assertThat(fails).as("login")), message, fails.toString());
	}

	private static Arguments standing(RateLimitStanding holds, RateLimitStanding fails,
			Consumer<RateLimitStandingAssert> assertion, String message) {
		return arguments((Runnable) () -> assertion.accept(assertThat(holds)),
				(Runnable) () -> assertion.accept(assertThat(fails).as("login")), message, fails.toString());
	}

	@ParameterizedTest(name = "{2}")
	@MethodSource("assertions")
	void holdsOrFails(Runnable holds, Runnable fails, String message, String actual) {
		holds.run();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(fails::run)
			.withMessageStartingWith("[login] ")
			.withMessageContaining(message)
			.withMessageContaining(actual);
	}

}
