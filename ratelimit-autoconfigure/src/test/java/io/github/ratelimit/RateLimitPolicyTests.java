package io.github.ratelimit;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RateLimitPolicyTests {

	private final RateLimit perMinute = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1));

	private final RateLimit perDay = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 100, Duration.ofDays(1));

	@Test
	void policyHasWhatItsBuilderWasGiven() {
		RateLimitPolicy policy = RateLimitPolicy.builder("login")
			.key("clientAddress")
			.limit(this.perMinute)
			.limits(List.of(this.perDay))
			.build();
		assertThat(policy.name()).isEqualTo("login");
		assertThat(policy.key()).isEqualTo("clientAddress");
		assertThat(policy.limits()).containsExactly(this.perMinute, this.perDay);
		assertThat(policy.capacity()).isEqualTo(5);
		assertThat(policy).hasToString("login by clientAddress: " + policy.limits());
	}

	@Test
	void policyDoesNotChangeWithItsBuilder() {
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("login").limit(this.perMinute);
		RateLimitPolicy policy = builder.build();
		builder.limit(this.perDay);
		assertThat(policy.limits()).containsExactly(this.perMinute);
	}

	@Test
	void policiesOfTheSamePartsAreEqual() {
		RateLimitPolicy policy = RateLimitPolicy.of("login", this.perMinute);
		assertThat(policy).isEqualTo(RateLimitPolicy.builder("login").limit(this.perMinute).build())
			.hasSameHashCodeAs(RateLimitPolicy.builder("login").limit(this.perMinute).build())
			.isNotEqualTo(RateLimitPolicy.of("logout", this.perMinute))
			.isNotEqualTo(RateLimitPolicy.of("login", this.perDay))
			.isNotEqualTo(RateLimitPolicy.builder("login").key("clientAddress").limit(this.perMinute).build());
	}

	@Test
	void invalidPartsAreNamed() {
		assertThatInvalid(RateLimitPolicy.builder("a/b").limit(this.perMinute), "name");
		assertThatInvalid(RateLimitPolicy.builder("login").key(" ").limit(this.perMinute), "key");
		assertThatInvalid(RateLimitPolicy.builder("login"), "limits");
	}

	private static void assertThatInvalid(RateLimitPolicy.Builder policy, String property) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(policy::build)
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo(property));
	}

}
