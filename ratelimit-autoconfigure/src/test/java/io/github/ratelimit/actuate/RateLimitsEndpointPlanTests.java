package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.actuate.RateLimitsEndpoint.KeyDescriptor;
import io.github.ratelimit.actuate.RateLimitsEndpoint.LimitDescriptor;
import io.github.ratelimit.actuate.RateLimitsEndpoint.PlanDescriptor;
import io.github.ratelimit.actuate.RateLimitsEndpoint.PolicyDescriptor;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Plans, as operators see them.
 */
class RateLimitsEndpointPlanTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			new PlanSettings((policy, key) -> key, Duration.ofMinutes(1), Duration.ofSeconds(30), 100, this.clock));

	private final RateLimitsEndpoint endpoint = new RateLimitsEndpoint(this.registry, "header('X-Api-Key')",
			UnaryOperator.identity(), null, new EndpointParts(null, null, true, List::of));

	@AfterEach
	void close() {
		this.store.close();
	}

	private StoreRateLimiter register() {
		Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
		plans.put("pro", RateLimitPlan.of(perMinute(60)));
		plans.put("staff", RateLimitPlan.unlimited());
		return this.registry.register(RateLimitPolicy.builder("api").limit(perMinute(5)).plans(plans).build());
	}

	private static RateLimit perMinute(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

	@Test
	void aPolicyIsShownWithItsPlansInTheirOrder() {
		register();
		this.registry.register(RateLimitPolicy.of("plain", perMinute(1)));
		Map<String, PolicyDescriptor> policies = this.endpoint.rateLimits().policies();
		Map<String, PlanDescriptor> plans = policies.get("api").plans();
		assertThat(plans).isNotNull();
		assertThat(plans.keySet()).containsExactly("pro", "staff");
		assertThat(plans.get("pro").limits()).singleElement()
			.satisfies((limit) -> assertThat(limit.limit()).isEqualTo(60));
		assertThat(plans.get("pro").unlimited()).isFalse();
		assertThat(plans.get("staff").unlimited()).isTrue();
		assertThat(policies.get("plain").plans()).isNull();
	}

	@Test
	void aLookAtAKeySaysUnderWhichPlanAndWithItsNumbers() {
		register().decide("pro", 1);
		KeyDescriptor look = this.endpoint.key("api", "pro");
		assertThat(look).isNotNull();
		assertThat(look.plan()).isEqualTo("pro");
		assertThat(look.standing().remaining()).isEqualTo(59);
		assertThat(look.limits()).singleElement().satisfies((limit) -> {
			assertThat(limit.limit().limit()).isEqualTo(60);
			assertThat(limit.standing().remaining()).isEqualTo(59);
		});
	}

	@Test
	void anOverrideOfAKeyShowsWhatItsPlanDefines() {
		StoreRateLimiter limiter = register();
		for (String key : List.of("pro", "staff", "free")) {
			limiter.plan(key);
			this.registry.overrides().put(RateLimitOverride.of("api").key(key).limit(perMinute(7)).build());
		}
		assertThat(defined("pro", null)).isEqualTo(List.of(LimitDescriptor.of(perMinute(60))));
		assertThat(defined("staff", null)).isEmpty();
		assertThat(defined("free", null)).isEqualTo(List.of(LimitDescriptor.of(perMinute(5))));
		this.registry.overrides().put(RateLimitOverride.of("api").plan("staff").limit(perMinute(7)).build());
		assertThat(defined(null, "staff")).isEmpty();
	}

	private List<LimitDescriptor> defined(@Nullable String key, @Nullable String plan) {
		OverrideDescriptor override = (OverrideDescriptor) this.endpoint.overridden("api", "override", key, plan);
		assertThat(override).isNotNull();
		assertThat(override.limits()).isEqualTo(List.of(LimitDescriptor.of(perMinute(7))));
		return override.defined().limits();
	}

	@Test
	void aPlanThatIsMisspeltIsToldWithTheNearestOne() {
		register();
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.takeBack("api", "override", null, "por", null))
			.withMessage("The rate limit policy 'api' has no plan named 'por'. Did you mean 'pro'? "
					+ "Known: 'pro', 'staff'.");
	}

	@Test
	void aLookAtAKeyWithoutLimitsShowsNone() {
		register();
		KeyDescriptor look = this.endpoint.key("api", "staff");
		assertThat(look).isNotNull();
		assertThat(look.plan()).isEqualTo("staff");
		assertThat(look.limits()).isEmpty();
		assertThat(look.standing().remaining()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aLookAtAKeyWithoutAPlanShowsThePolicysOwnNumbers() {
		register();
		KeyDescriptor look = this.endpoint.key("api", "gold");
		assertThat(look).isNotNull();
		@Nullable String plan = look.plan();
		assertThat(plan).isNull();
		assertThat(look.limits()).singleElement().satisfies((limit) -> assertThat(limit.limit().limit()).isEqualTo(5));
	}

	@Test
	void unknownPlansAreCountedByPolicyAlone() {
		StoreRateLimiter limiter = register();
		this.registry.register(RateLimitPolicy.of("plain", perMinute(1)));
		limiter.decide("gold", 1);
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		new RateLimitMetrics(() -> this.registry, new WaitingRoom(1), () -> null).bindTo(meters);
		assertThat(meters.get("ratelimit.plans.unknown").functionCounters()).singleElement().satisfies((counter) -> {
			assertThat(counter.count()).isOne();
			assertThat(counter.getId().getTags()).singleElement()
				.satisfies((tag) -> assertThat(tag.getValue()).isEqualTo("api"));
		});
		assertThat(meters.get("ratelimit.expression.failures").tag("expression", "plan").functionCounters()).hasSize(1);
	}

}
