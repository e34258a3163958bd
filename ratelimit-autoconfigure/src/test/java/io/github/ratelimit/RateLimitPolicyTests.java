package io.github.ratelimit;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

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
	void underAPlanAPolicyHasItsLimitsAndNeitherPlansNorShadowLimits() {
		RateLimitPolicy policy = RateLimitPolicy.builder("api")
			.key("principal.name")
			.limit(this.perMinute)
			.shadowLimits(List.of(this.perDay))
			.ban(RateLimitBan.builder().build())
			.plan("claim('plan')")
			.plans(Map.of("pro", RateLimitPlan.of(this.perDay), "staff", RateLimitPlan.unlimited()))
			.build();
		RateLimitPolicy pro = policy.underPlan("pro");
		assertThat(pro).isEqualTo(RateLimitPolicy.builder("api")
			.key("principal.name")
			.limit(this.perDay)
			.ban(RateLimitBan.builder().build())
			.build());
		assertThat(policy.underPlan("staff")).isNull();
		assertThat(policy.underPlan("gold")).isNull();
		assertThat(policy.underAllPlans()).containsExactly(policy, pro);
		assertThat(policy.toString()).endsWith(" by claim('plan')").contains(", plans {", "staff=unlimited");
	}

	@Test
	void policiesOfOtherPlansDiffer() {
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("api").limit(this.perMinute);
		RateLimitPolicy none = builder.build();
		RateLimitPolicy staff = builder.plans(Map.of("staff", RateLimitPlan.unlimited())).build();
		RateLimitPolicy expression = builder.plan("claim('plan')").build();
		assertThat(List.of(none, staff, expression)).doesNotHaveDuplicates();
		assertThat(expression.withMode(RateLimitMode.SHADOW).plans()).isEqualTo(expression.plans());
	}

	@Test
	void aPlanHasLimitsOrNone() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(RateLimitPlan::of);
		assertThat(RateLimitPlan.of(this.perDay)).isEqualTo(RateLimitPlan.of(List.of(this.perDay)))
			.hasSameHashCodeAs(RateLimitPlan.of(List.of(this.perDay)))
			.isNotEqualTo(RateLimitPlan.unlimited())
			.hasToString("[" + this.perDay + "]");
		assertThat(RateLimitPlan.unlimited().isUnlimited()).isTrue();
	}

	@Test
	void aPolicyIsEnforcedUnlessItIsToldOtherwise() {
		assertThat(RateLimitPolicy.of("login", this.perMinute).mode()).isEqualTo(RateLimitMode.ENFORCE);
		RateLimitPolicy tried = RateLimitPolicy.builder("login")
			.limit(this.perMinute)
			.mode(RateLimitMode.SHADOW)
			.build();
		assertThat(tried.mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(tried.shadow()).isNull();
		assertThat(tried).isNotEqualTo(RateLimitPolicy.of("login", this.perMinute))
			.hasToString("login: " + tried.limits() + ", in shadow");
	}

	@Test
	void shadowLimitsAreAPolicyOfTheirOwnOnTheSameKey() {
		RateLimitBan ban = RateLimitBan.builder().after(3).within(Duration.ofMinutes(1)).build();
		RateLimitPolicy policy = RateLimitPolicy.builder("login")
			.key("clientAddress")
			.charge("status == 401")
			.limit(this.perMinute)
			.ban(ban)
			.shadowLimits(List.of(this.perDay))
			.build();
		assertThat(policy.mode()).isEqualTo(RateLimitMode.ENFORCE);
		assertThat(policy).isNotEqualTo(RateLimitPolicy.builder("login")
			.key("clientAddress")
			.charge("status == 401")
			.limit(this.perMinute)
			.ban(ban)
			.build());
		RateLimitPolicy shadow = policy.shadow();
		assertThat(shadow).isNotNull();
		assertThat(shadow.name()).isEqualTo("login/shadow");
		assertThat(RateLimitPolicy.isName(shadow.name())).isFalse();
		assertThat(shadow.mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(shadow.key()).isEqualTo("clientAddress");
		assertThat(shadow.charge()).isEqualTo("status == 401");
		assertThat(shadow.ban()).isEqualTo(ban);
		assertThat(shadow.limits()).containsExactly(this.perDay);
		assertThat(shadow.shadow()).isNull();
	}

	@Test
	void nobodyWaitsInShadow() {
		RateLimit queue = RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 5, Duration.ofMinutes(1));
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("queue").limit(queue);
		assertThat(builder.build().delays()).isTrue();
		assertThat(builder.build().longestDelay()).isPositive();
		RateLimitPolicy tried = builder.mode(RateLimitMode.SHADOW).build();
		assertThat(tried.delays()).isFalse();
		assertThat(tried.longestDelay()).isZero();
	}

	@Test
	void invalidPartsAreNamed() {
		assertThatInvalid(RateLimitPolicy.builder("a/b").limit(this.perMinute), "name");
		assertThatInvalid(RateLimitPolicy.builder("login").key(" ").limit(this.perMinute), "key");
		assertThatInvalid(RateLimitPolicy.builder("login"), "limits");
		assertThatInvalid(RateLimitPolicy.builder("login").shadowLimits(List.of(this.perDay)), "limits");
		assertThatInvalid(RateLimitPolicy.builder("login")
			.limit(this.perMinute)
			.shadowLimits(List.of(this.perDay))
			.mode(RateLimitMode.SHADOW), "shadow-limits");
		assertThatInvalid(
				RateLimitPolicy.builder("login")
					.limit(this.perMinute)
					.charge("status == 401")
					.shadowLimits(List.of(RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 5, Duration.ofMinutes(1)))),
				"charge");
	}

	@Test
	void atMostSixteenLimitsAreDecidedTogether() {
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1));
		List<RateLimit> most = Collections.nCopies(16, limit);
		List<RateLimit> more = Collections.nCopies(17, limit);
		assertThat(RateLimitPolicy.builder("p").limits(most).shadowLimits(most).build().limits()).hasSize(16);
		assertThatInvalid(RateLimitPolicy.builder("p").limits(more), "limits");
		assertThatInvalid(RateLimitPolicy.builder("p").limits(most).shadowLimits(more), "shadow-limits");
		assertThatInvalid(RateLimitPolicy.builder("p").limits(most).plans(Map.of("pro", RateLimitPlan.of(more))),
				"plans.pro.limits");
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> RateLimitPolicy.of("p", limit).withLimits(more))
			.withMessage("limits = 17 entries is too long");
	}

	private static void assertThatInvalid(RateLimitPolicy.Builder policy, String property) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(policy::build)
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo(property));
	}

}
