package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With which numbers a rejection was thrown is found among those in force, so that what
 * is cached for them is not made anew for each rejection.
 */
class RejectingNumbersTests extends LocalPolicies {

	private final StoreRateLimiterRegistry registry = planned((policy, key) -> key.equals("acme") ? "pro" : null);

	private final StoreRateLimiter limiter = this.registry.register(RateLimitPolicy.builder("api")
		.limit(window(2))
		.plans(Map.of("pro", RateLimitPlan.of(window(60)), "staff", RateLimitPlan.unlimited()))
		.build());

	@Test
	void numbersInForceAreTheSame() {
		put(RateLimitOverride.of("api").key("one").limit(window(3)));
		put(RateLimitOverride.of("api").key("two").limit(window(4)));
		for (String key : List.of("any", "acme", "one", "two")) {
			EffectivePolicy deciding = this.limiter.effectivePolicy(key);
			assertThat(this.limiter.effectivePolicyOf(deciding.policy())).as(key).isSameAs(deciding);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theNumbersOfAKeyThatAnOperatorHasDecidedOnAreTheSameThoughThePolicyIsInShadow(Kind kind) {
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(window(2)).mode(RateLimitMode.SHADOW).build());
		Duration duration = (kind == Kind.BAN) ? Duration.ofHours(1) : null;
		this.registry.interventions()
			.put(new RateLimitIntervention(Target.ofKey(kind, "tried", "ada"), duration, null, null));
		EffectivePolicy deciding = tried.effectivePolicy("ada");
		assertThat(tried.effectivePolicyOf(deciding.policy())).isSameAs(deciding);
	}

	@Test
	void numbersThatAreNoLongerInForceAreShownAsTheyWere() {
		put(RateLimitOverride.of("api").limit(window(5)));
		EffectivePolicy overridden = this.limiter.effectivePolicy("any");
		this.registry.overrides().remove(new RateLimitOverride.Target("api", null, null));
		EffectivePolicy shown = this.limiter.effectivePolicyOf(overridden.policy());
		assertThat(shown.policy()).isSameAs(overridden.policy());
		assertThat(shown.limiter()).isSameAs(this.limiter);
		assertThat(this.limiter.effectivePolicy("any").policy()).isSameAs(this.limiter.policy());
	}

	private void put(RateLimitOverride.Builder override) {
		this.registry.overrides().put(override.build());
	}

}
