package io.github.ratelimit.test.assertj;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimitStanding;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Each assertion about a standing holds where it should, and fails with the standing
 * elsewhere.
 */
class RateLimitStandingAssertTests {

	private static final RateLimitStanding USED = new Standing(4, Duration.ofSeconds(9), Duration.ofSeconds(3), false);

	private static final RateLimitStanding BANNED = new Standing(0, Duration.ofHours(2), Duration.ofHours(1), true);

	static Stream<Arguments> assertions() {
		return Stream.of(failing(USED, BANNED, (standing) -> standing.hasRemaining(4), "4 remaining"),
				failing(USED, BANNED, (standing) -> standing.hasResetAfter(Duration.ofSeconds(9)), "reset after PT9S"),
				failing(USED, BANNED, (standing) -> standing.hasNextPermitAfter(Duration.ofSeconds(3)),
						"next permit after PT3S"),
				failing(BANNED, USED, RateLimitStandingAssert::isBanned, "to be banned"));
	}

	private static Arguments failing(RateLimitStanding holds, RateLimitStanding fails,
			Consumer<RateLimitStandingAssert> assertion, String message) {
		return arguments(holds, fails, assertion, message);
	}

	@ParameterizedTest
	@MethodSource("assertions")
	void holdsOrFails(RateLimitStanding holds, RateLimitStanding fails, Consumer<RateLimitStandingAssert> assertion,
			String message) {
		assertion.accept(assertThat(holds));
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertion.accept(assertThat(fails).as("login")))
			.withMessageStartingWith("[login] ")
			.withMessageContaining(message)
			.withMessageContaining(fails.toString());
	}

	private record Standing(long remaining, Duration resetAfter, Duration nextPermitAfter,
			boolean banned) implements RateLimitStanding {

		@Override
		public long resetAfterNanos() {
			return this.resetAfter.toNanos();
		}

		@Override
		public long nextPermitAfterNanos() {
			return this.nextPermitAfter.toNanos();
		}

		@Override
		public boolean fallback() {
			return false;
		}

		@Override
		public List<LimitStanding> limits() {
			return List.of(this);
		}

	}

}
