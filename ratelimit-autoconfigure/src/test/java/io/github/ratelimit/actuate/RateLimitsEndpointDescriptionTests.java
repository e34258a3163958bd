package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.actuate.PolicyDescriptor.PlanDescriptor;
import io.github.ratelimit.actuate.PolicyDescriptor.ShadowDescriptor;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Plans, limits in shadow, a store that can be unavailable and a calendar's windows, as
 * operators see them.
 */
class RateLimitsEndpointDescriptionTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			new PlanSettings((policy, key) -> key, Duration.ofMinutes(1), Duration.ofSeconds(30), 100, this.clock));

	private final RateLimitsEndpoint endpoint = endpoint(null, true);

	@AfterEach
	void close() {
		this.store.close();
	}

	private RateLimitsEndpoint endpoint(@Nullable RateLimitStoreAvailability availability, boolean writable) {
		PolicyBinder binder = new PolicyBinder(new DefaultListableBeanFactory(), null, "header('X-Api-Key')",
				new RateLimitFindings());
		return new RateLimitsEndpoint(this.registry, binder, UnaryOperator.identity(), null,
				new RateLimitsEndpoint.Parts(new RunningInstance(new MockEnvironment(), this.clock), null, null,
						availability, writable, List::of));
	}

	private static RateLimit perMinute(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofMinutes(1));
	}

	private RateLimiter registerWithPlans() {
		Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
		plans.put("pro", RateLimitPlan.of(perMinute(60)));
		plans.put("staff", RateLimitPlan.unlimited());
		return this.registry.register(RateLimitPolicy.builder("api").limit(perMinute(5)).plans(plans).build());
	}

	private PolicyDescriptor policy(String name) {
		return this.endpoint.rateLimits().policies().get(name);
	}

	@Test
	void aPolicyIsShownWithItsPlansInTheirOrder() {
		registerWithPlans();
		this.registry.register(RateLimitPolicy.of("plain", perMinute(1)));
		assertThat(policy("api").plans()).containsExactly(
				Map.entry("pro", new PlanDescriptor(false, List.of(LimitDescriptor.of(perMinute(60))))),
				Map.entry("staff", new PlanDescriptor(true, List.of())));
		assertThat(policy("plain").plans()).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "pro, pro, 60", "gold, , 5", "staff, staff, " })
	void aLookAtAKeySaysUnderWhichPlanAndWithItsNumbers(String key, @Nullable String plan, @Nullable Long limit) {
		registerWithPlans().decide(key, 1);
		KeyDescriptor look = Objects.requireNonNull(this.endpoint.key("api", key));
		assertThat(look.plan()).isEqualTo(plan);
		assertThat(look.standing().remaining()).isEqualTo((limit != null) ? limit - 1 : Long.MAX_VALUE);
		assertThat(look.limits()).extracting((each) -> each.limit().limit())
			.isEqualTo((limit != null) ? List.of(limit) : List.of());
	}

	@Test
	void anOverrideOfAKeyShowsWhatItsPlanDefines() {
		RateLimiter limiter = registerWithPlans();
		for (String key : List.of("pro", "staff", "free")) {
			limiter.plan(key);
			this.registry.overrides().put(RateLimitOverride.of("api").key(key).limit(perMinute(7)).build());
		}
		this.registry.overrides().put(RateLimitOverride.of("api").plan("staff").limit(perMinute(7)).build());
		assertThat(defined("pro", null)).isEqualTo(List.of(LimitDescriptor.of(perMinute(60))));
		assertThat(defined("staff", null)).isEmpty();
		assertThat(defined("free", null)).isEqualTo(List.of(LimitDescriptor.of(perMinute(5))));
		assertThat(defined(null, "staff")).isEmpty();
	}

	private List<LimitDescriptor> defined(@Nullable String key, @Nullable String plan) {
		OverrideDescriptor override = (OverrideDescriptor) Objects
			.requireNonNull(this.endpoint.overridden("api", "override", key, plan));
		assertThat(override.limits()).isEqualTo(List.of(LimitDescriptor.of(perMinute(7))));
		return override.defined().limits();
	}

	@Test
	void aPlanThatIsMisspeltIsToldWithTheNearestOne() {
		registerWithPlans();
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.takeBack("api", "override", null, "por", null))
			.withMessage("The rate limit policy 'api' has no plan named 'por'. Did you mean 'pro'? "
					+ "Known: 'pro', 'staff'.");
	}

	@Test
	void bothSidesOfShadowAreShownWithTheirCounts() {
		RateLimiter both = this.registry
			.register(RateLimitPolicy.builder("both").limit(perMinute(5)).shadowLimits(List.of(perMinute(2))).build());
		for (int i = 0; i < 6; i++) {
			both.decide("ada", 1);
			both.decide("bob", 1);
		}
		both.decide("cleo", 1);
		assertThat(policy("both").mode()).isEqualTo("enforce");
		assertThat(policy("both").requests()).containsEntry("allowed", 11L).containsEntry("rejected", 2L);
		ShadowDescriptor shadow = Objects.requireNonNull(policy("both").shadow());
		assertThat(shadow.limits()).isEqualTo(List.of(LimitDescriptor.of(perMinute(2))));
		assertThat(shadow.requests()).containsEntry("allowed", 5L).containsEntry("rejected", 8L);
		assertThat(shadow.rejectedKeys()).isEqualTo(2);
		assertThat(shadow.dropped()).isZero();
		assertThat(this.endpoint.rateLimits().policies()).hasSize(1);
	}

	@Test
	void aPolicyThatInformsAndWarnsIsShownAsSuch() {
		RateLimiter informing = this.registry.register(RateLimitPolicy.builder("informing")
			.limit(perMinute(2))
			.mode(RateLimitMode.INFORM)
			.warnAt(100, 80)
			.build());
		for (int i = 0; i < 3; i++) {
			informing.decide("ada", 1);
		}
		assertThat(policy("informing").mode()).isEqualTo("inform");
		assertThat(policy("informing").warnAt()).containsExactly("80%", "100%");
		assertThat(policy("informing").shadow()).isNull();
		assertThat(policy("informing").requests()).containsEntry("allowed", 2L).containsEntry("exceeded", 1L);
		this.registry.register(RateLimitPolicy.of("silent", perMinute(5)));
		assertThat(policy("silent").warnAt()).isNull();
	}

	@Test
	void theLongestWaitIsShownWhereRequestsWaitForPermits() {
		this.registry
			.register(RateLimitPolicy.builder("waiting").limit(perMinute(5)).maxWait(Duration.ofMillis(1500)).build());
		assertThat(policy("waiting").maxWait()).isEqualByComparingTo("1.5");
		this.registry.register(RateLimitPolicy.of("hasty", perMinute(5)));
		assertThat(policy("hasty").maxWait()).isNull();
	}

	@Test
	void aPolicyInShadowIsShownAsSuch() {
		RateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(perMinute(2)).mode(RateLimitMode.SHADOW).build());
		for (int i = 0; i < 3; i++) {
			tried.decide("ada", 1);
		}
		assertThat(policy("tried").mode()).isEqualTo("shadow");
		assertThat(Objects.requireNonNull(policy("tried").shadow()).requests()).isEqualTo(policy("tried").requests())
			.containsEntry("rejected", 1L);
		assertThat(Objects.requireNonNull(this.endpoint.key("tried", "ada")).standing().remaining()).isZero();
		this.endpoint.reset("tried", "ada");
		tried.decide("ada", 1);
		assertThat(policy("tried").requests()).containsEntry("allowed", 3L);
		this.registry.register(RateLimitPolicy.of("enforced", perMinute(5)));
		assertThat(policy("enforced").shadow()).isNull();
	}

	@Test
	void aStoreThatCanBeUnavailableIsAskedAndItsStateShown() {
		RateLimitStoreAvailability unavailable = mock();
		given(unavailable.outages()).willReturn(3L);
		given(unavailable.decides()).willReturn("local");
		given(unavailable.failure()).willReturn("connection refused");
		RateLimitsDescriptor told = endpoint(unavailable, false).rateLimits();
		assertThat(told.health())
			.isEqualTo(new RateLimitsDescriptor.StoreHealthDescriptor(false, "local", 3, "connection refused"));
		assertThat(told.writable()).isFalse();
		then(unavailable).should().check();
		assertThat(this.endpoint.rateLimits().health()).isNull();
		assertThat(this.endpoint.rateLimits().writable()).isTrue();
	}

	@Test
	void aWindowOfACalendarIsAPeriodOfAZone() {
		assertThat(LimitDescriptor.of(CalendarModel.limit(10, "P1M", "Europe/Berlin", "15")))
			.isEqualTo(new LimitDescriptor("fixed-window-counter", 10, null, "month", "Europe/Berlin", "15", null, null,
					null, null));
	}

}
