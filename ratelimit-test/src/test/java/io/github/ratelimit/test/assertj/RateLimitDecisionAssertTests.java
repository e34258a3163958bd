package io.github.ratelimit.test.assertj;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Each assertion about a decision holds where it should, and fails with the decision
 * elsewhere.
 */
class RateLimitDecisionAssertTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final RateLimitDecision ALLOWED = RateLimitDecisions.allowed(0, 4, 0, SECOND, SECOND);

	private static final RateLimitDecision DELAYED = RateLimitDecisions.allowed(0, 4, SECOND, SECOND, SECOND);

	private static final RateLimitDecision REJECTED = RateLimitDecisions.rejected(0, 0, SECOND, SECOND, SECOND);

	private static final RateLimitDecision NEVER = RateLimitDecisions.rejected(0, 4, LimitStatus.NEVER, 0, 0);

	private static final RateLimitDecision BANNED = RateLimitDecisions.banned(0, 2 * SECOND);

	private static final RateLimitDecision UNAVAILABLE = RateLimitDecisions.unavailable(0, SECOND);

	static Stream<Arguments> assertions() {
		return Stream.of(failing(DELAYED, REJECTED, RateLimitDecisionAssert::isAllowed, "to allow the request"),
				failing(REJECTED, DELAYED, RateLimitDecisionAssert::isRateLimited, "to reject the request"),
				failing(BANNED, UNAVAILABLE, RateLimitDecisionAssert::isRateLimited, "to reject the request"),
				failing(BANNED, REJECTED, RateLimitDecisionAssert::isBanned, "because of a ban"),
				failing(UNAVAILABLE, BANNED, RateLimitDecisionAssert::isUnavailable, "could not decide"),
				failing(DELAYED, ALLOWED, (decision) -> decision.hasOutcome(RateLimitOutcome.DELAYED),
						"the outcome DELAYED"),
				failing(DELAYED, ALLOWED, (decision) -> decision.hasDelay(Duration.ofSeconds(1)), "the delay PT1S"),
				failing(REJECTED, BANNED, (decision) -> decision.hasRetryAfter(Duration.ofSeconds(1)), "PT1S"),
				failing(REJECTED, NEVER, (decision) -> decision.hasRetryAfter(Duration.ofSeconds(1)), "PT1S"),
				failing(ALLOWED, REJECTED, (decision) -> decision.hasRemaining(4), "4 remaining"));
	}

	private static Arguments failing(RateLimitDecision holds, RateLimitDecision fails,
			Consumer<RateLimitDecisionAssert> assertion, String message) {
		return arguments(holds, fails, assertion, message);
	}

	@ParameterizedTest
	@MethodSource("assertions")
	void holdsOrFails(RateLimitDecision holds, RateLimitDecision fails, Consumer<RateLimitDecisionAssert> assertion,
			String message) {
		assertion.accept(assertThat(holds));
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertion.accept(assertThat(fails).as("login")))
			.withMessageStartingWith("[login] ")
			.withMessageContaining(message)
			.withMessageContaining(fails.toString());
	}

}
