package io.github.ratelimit.graphql;

import java.time.Duration;
import java.util.List;

import graphql.GraphQLError;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * What a client of GraphQL reads of a rejection.
 */
class RateLimitErrorsTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("login",
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofMinutes(1)));

	private static GraphQLError error(RateLimitDecision decision) {
		List<GraphQLError> errors = new RateLimitErrors()
			.resolveException(new RateLimitExceededException(POLICY, decision))
			.block();
		assertThat(errors).hasSize(1);
		return errors.get(0);
	}

	@Test
	void aClientIsToldThatItIsBannedAndUntilWhen() {
		GraphQLError error = error(RateLimitDecisions.banned(0, Duration.ofMinutes(5).toNanos()));
		assertThat(error.getErrorType()).isEqualTo(RateLimitErrors.RateLimitErrorType.RATE_LIMITED);
		assertThat(error.getMessage()).isEqualTo("Rate limit 'login' has banned the caller, try again in 5 min");
		assertThat(error.getExtensions()).contains(entry("policy", "login"), entry("retryAfter", 300L),
				entry("banned", true));
	}

	@Test
	void aClientThatIsNotBannedIsNotToldOfBans() {
		GraphQLError error = error(RateLimitDecisions.rejected(0, 0, 1, 1, 1));
		assertThat(error.getMessage()).startsWith("Rate limit 'login' exceeded");
		assertThat(error.getExtensions()).doesNotContainKey("banned");
	}

}
