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
	void underAPlanAPolicyHasItsLimitsAndNeitherPlansNorShadowLimits() {
		RateLimitPolicy policy = RateLimitPolicy.builder("api")
			.key("principal.name")
			.limit(this.perMinute)
			.shadowLimits(List.of(this.perDay))
			.ban(new RateLimitBan(3))
			.plan("claim('plan')")
			.plans(Map.of("pro", RateLimitPlan.of(this.perDay), "staff", RateLimitPlan.unlimited()))
			.build();
		RateLimitPolicy pro = policy.underPlan("pro");
		assertThat(pro).isEqualTo(RateLimitPolicy.builder("api")
			.key("principal.name")
			.limit(this.perDay)
			.ban(new RateLimitBan(3))
			.build());
		assertThat(policy.underPlan("staff")).isNull();
		assertThat(policy.underPlan("gold")).isNull();
		assertThat(policy.withoutPlans().plans()).isEmpty();
		assertThat(policy.toString()).endsWith(" by claim('plan')").contains(", plans {", "staff=unlimited");
	}

	@Test
	void aPlanHasLimitsOrNone() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(RateLimitPlan::of);
		assertThat(RateLimitPlan.of(this.perDay)).isEqualTo(RateLimitPlan.of(List.of(this.perDay)))
			.isNotEqualTo(RateLimitPlan.unlimited());
	}

	@Test
	void shadowLimitsAreAPolicyOfTheirOwnOnTheSameKey() {
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("login")
			.key("clientAddress")
			.charge("status == 401")
			.limit(this.perMinute)
			.ban(new RateLimitBan(3));
		assertThat(builder.build().mode()).isEqualTo(RateLimitMode.ENFORCE);
		assertThat(builder.build().shadow()).isNull();
		RateLimitPolicy policy = builder.shadowLimits(List.of(this.perDay)).build();
		RateLimitPolicy shadow = policy.shadow();
		assertThat(shadow)
			.isEqualTo(new RateLimitPolicy("login/shadow", "clientAddress", "status == 401", null, List.of(this.perDay),
					policy.ban(), RateLimitMode.SHADOW, List.of(), null, Map.of(), List.of(), Duration.ZERO));
		assertThat(RateLimitPolicy.isName(shadow.name())).isFalse();
		assertThat(shadow.shadow()).isNull();
		assertThat(policy.withMode(RateLimitMode.SHADOW).shadowLimits()).isEmpty();
	}

	@Test
	void nobodyWaitsInShadow() {
		RateLimit queue = RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 5, Duration.ofMinutes(1));
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("queue").limit(queue);
		assertThat(builder.build().delays()).isTrue();
		assertThat(builder.build().longestDelay()).isPositive();
		RateLimitPolicy ofPlan = RateLimitPolicy.builder("plan")
			.limit(this.perMinute)
			.plans(Map.of("pro", RateLimitPlan.of(queue)))
			.build();
		assertThat(ofPlan.delays()).isTrue();
		assertThat(ofPlan.withoutPlans().delays()).isFalse();
		RateLimitPolicy tried = builder.mode(RateLimitMode.SHADOW).build();
		assertThat(tried.delays()).isFalse();
		assertThat(tried.longestDelay()).isZero();
	}

	@Test
	void invalidPartsAreNamed() {
		assertThatInvalid(RateLimitPolicy.builder("a/b").limit(this.perMinute), "name");
		assertThatInvalid(RateLimitPolicy.builder("a/shadow").mode(RateLimitMode.SHADOW).limit(this.perMinute), "name");
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
