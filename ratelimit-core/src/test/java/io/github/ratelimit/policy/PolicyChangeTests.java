package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.request.PermitRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link StoreRateLimiterRegistry#change}: policies that are defined while requests are
 * decided on.
 */
@ExtendWith(OutputCaptureExtension.class)
class PolicyChangeTests extends LocalPolicies {

	private final AtomicInteger asked = new AtomicInteger();

	/* The plan of a key is called as the key is. */
	private final StoreRateLimiterRegistry registry = planned((policy, key) -> {
		this.asked.incrementAndGet();
		return key;
	});

	private final StoreRateLimiter limiter = this.registry.register(policy(5).build());

	@Test
	void nothingHasChangedBeforeTheChangeIsMade() {
		PolicyChange change = this.registry.change(policy(7).build());
		assertThat(change.limiter()).isSameAs(this.limiter);
		assertThat(change.policy().capacity()).isEqualTo(7);
		assertThat(this.limiter.policy().capacity()).isEqualTo(5);
		assertThat(this.limiter.decide("me", 6).allowed()).isFalse();
		this.limiter.decide("me", 3);
		change.make();
		assertThat(this.limiter.policy().capacity()).isEqualTo(7);
		assertThat(this.limiter.decide("you", 6).allowed()).isTrue();
		assertThat(this.limiter.peek("me").remaining()).isEqualTo(4);
	}

	@Test
	void aRequestIsDecidedOnAsThePolicyWasWhenItCame() {
		PermitRequest before = PermitRequest.of(this.limiter, "me", 1);
		this.registry.change(policy(7).build()).make();
		PermitRequest after = PermitRequest.of(this.limiter, "me", 1);
		assertThat(before.effectivePolicy().decide(before.key(), before.permits(), true).remaining()).isEqualTo(4);
		assertThat(before.effectivePolicy().policy().capacity()).isEqualTo(5);
		assertThat(after.effectivePolicy().policy().capacity()).isEqualTo(7);
	}

	@Test
	void keyChargeAndBanStay() {
		this.registry.change(RateLimitPolicy.builder("policy").key("principal.name").limit(bucket(7)).build()).make();
		assertThat(this.limiter.policy().key()).isEqualTo("'everyone'");
		assertThat(this.limiter.policy().capacity()).isEqualTo(7);
	}

	@Test
	void limitsThatThePolicysChargeForbidsAreRejected() {
		this.registry.register(RateLimitPolicy.builder("charged").charge("status == 401").limit(bucket(5)).build());
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.registry.change(RateLimitPolicy.of("charged",
					RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
						.limit(1)
						.window(Duration.ofSeconds(1))
						.burst(5L)
						.build())))
			.withMessageContaining("leaky bucket");
	}

	@Test
	void aPolicyThatIsNewIsDefined() {
		PolicyChange change = this.registry.change(planned(5, Map.of("pro", 60L)).build());
		assertThat(this.registry.find("planned")).isNull();
		change.make();
		assertThat(this.registry.policy("planned")).isSameAs(change.limiter());
		assertThat(capacity(change.limiter(), "pro")).isEqualTo(60);
		assertThatIllegalStateException().isThrownBy(change::make);
	}

	@Test
	void observersAreToldOfEachChange() {
		List<Long> capacities = new ArrayList<>();
		this.registry.observe((observed) -> capacities.add(observed.policy().capacity()));
		this.registry.change(policy(7).build()).make();
		this.registry.change(RateLimitPolicy.of("late", bucket(1))).make();
		assertThat(capacities).containsExactly(5L, 7L, 1L);
	}

	@Test
	void aChangeIsMadeAlsoIfAnObserverFails(CapturedOutput output) {
		List<String> observed = new ArrayList<>();
		AtomicBoolean failing = new AtomicBoolean();
		this.registry.observe((changed) -> {
			if (failing.get()) {
				throw new IllegalStateException("the observer failed");
			}
		});
		this.registry.observe((changed) -> observed.add(changed.policy().name()));
		PolicyChange mode = this.registry.change(policy(7).mode(RateLimitMode.SHADOW).build());
		PolicyChange created = this.registry.change(RateLimitPolicy.of("late", bucket(1)));
		observed.clear();
		failing.set(true);
		mode.make();
		created.make();
		assertThat(this.limiter.policy()).isEqualTo(mode.policy());
		assertThat(this.registry.policy("late")).isSameAs(created.limiter());
		assertThat(observed).contains("policy", "late");
		assertThat(output).contains("An observer failed on a change of rate limits. The change is made nevertheless");
	}

	@Test
	void shadowLimitsThatComeBackGoOnWithTheKeysThatTheirStoreHasKept() {
		RateLimitPolicy tried = policy(5).shadowLimits(List.of(bucket(3))).build();
		this.registry.change(tried).make();
		this.limiter.decide("me", 2);
		this.registry.change(policy(5).build()).make();
		this.registry.change(tried).make();
		this.limiter.decide("me", 2);
		assertThat(rejectedInShadow()).isEqualTo(1);
	}

	@Test
	void theShadowGoesOnCounting() {
		this.registry.change(policy(5).mode(RateLimitMode.SHADOW).build()).make();
		this.limiter.decide("me", 6);
		assertThat(rejectedInShadow()).isEqualTo(1);
		this.registry.change(policy(3).mode(RateLimitMode.SHADOW).build()).make();
		assertThat(shadow(this.limiter).policy().capacity()).isEqualTo(3);
		this.limiter.decide("me", 4);
		assertThat(rejectedInShadow()).isEqualTo(2);
		assertThat(this.limiter.countEnforced(RateLimitOutcome.REJECTED)).isZero();
		this.registry.change(policy(3).shadowLimits(List.of(bucket(1))).build()).make();
		assertThat(shadow(this.limiter).policy().capacity()).isEqualTo(1);
		this.limiter.decide("me", 2);
		assertThat(rejectedInShadow()).isEqualTo(3);
		assertThat(this.limiter.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		this.registry.change(policy(3).build()).make();
		this.limiter.decide("you", 2);
		this.limiter.decide("you", 2);
		assertThat(rejectedInShadow()).isEqualTo(3);
		assertThat(this.limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	@Test
	void overridesFollowInWhatTheyLeaveOut() {
		RateLimitOverrides overrides = this.registry.overrides();
		overrides.put(RateLimitOverride.of("policy").mode(RateLimitMode.SHADOW).build());
		overrides.put(RateLimitOverride.of("policy").key("me").limits(List.of(bucket(2))).build());
		this.limiter.decide("you", 1);
		List<RateLimitOverrides.InForce> inForce = overrides.inForce();
		this.registry.change(policy(7).build()).make();
		assertThat(this.limiter.effectivePolicy("you").policy())
			.isEqualTo(policy(7).mode(RateLimitMode.SHADOW).build());
		assertThat(this.limiter.effectivePolicy("me").policy()).isEqualTo(policy(2).build());
		assertThat(shadow(this.limiter).policy().capacity()).isEqualTo(7);
		assertThat(shadow(this.limiter).count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		this.registry.change(policy(9).mode(RateLimitMode.SHADOW).build()).make();
		assertThat(this.limiter.effectivePolicy("me").policy()).isEqualTo(policy(2).mode(RateLimitMode.SHADOW).build());
		assertThat(overrides.inForce()).isEqualTo(inForce);
		overrides.remove(inForce.get(0).override().target());
		assertThat(capacity(this.limiter, "you")).isEqualTo(9);
	}

	@Test
	void overridesThatThePolicyCanNoLongerHaveAreIgnored(CapturedOutput output) {
		RateLimitOverrides overrides = this.registry.overrides();
		StoreRateLimiter planned = this.registry.register(planned(5, Map.of("pro", 60L, "old", 20L)).build());
		overrides.put(RateLimitOverride.of("planned").plan("old").mode(RateLimitMode.SHADOW).build());
		RateLimitOverrides.InForce ofKey = overrides
			.put(RateLimitOverride.of("planned").key("me").mode(RateLimitMode.SHADOW).build());
		this.registry.change(planned(6, Map.of("pro", 90L)).build()).make();
		assertThat(capacity(planned, "pro")).isEqualTo(90);
		assertThat(capacity(planned, "old")).isEqualTo(6);
		assertThat(overrides.inForce()).containsExactly(ofKey);
		assertThat(output).contains("An override of the rate limit policy 'planned' is ignored by this instance: "
				+ "The rate limit policy 'planned' has no plan named 'old'.");
	}

	@Test
	void plansFollowAndItIsStillKnownWhoHasWhich() {
		StoreRateLimiter planned = this.registry.register(planned(5, Map.of("pro", 60L, "old", 20L)).build());
		planned.decide("pro", 1);
		planned.decide("old", 1);
		this.registry.change(planned(6, Map.of("pro", 90L, "gold", 500L)).build()).make();
		assertThat(planned.decide("pro", 1).remaining()).isEqualTo(88);
		assertThat(capacity(planned, "old")).isEqualTo(6);
		assertThat(this.asked).hasValue(2);
		assertThat(capacity(planned, "gold")).isEqualTo(500);
		assertThat(capacity(planned, "none")).isEqualTo(6);
		assertThat(planned.unknownPlans()).isEqualTo(1);
		this.registry.change(planned(6, Map.of("pro", 10L)).build()).make();
		assertThat(capacity(planned, "pro")).isEqualTo(10);
		assertThat(planned.unknownPlans()).isEqualTo(1);
	}

	@Test
	void plansThatArePutIntoShadowAreCountedTogether() {
		StoreRateLimiter planned = this.registry.register(planned(5, Map.of("pro", 60L)).build());
		this.registry.change(planned(5, Map.of("pro", 60L)).mode(RateLimitMode.SHADOW).build()).make();
		planned.decide("pro", 60);
		planned.decide("none", 5);
		assertThat(shadow(planned).count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
	}

	@Test
	void whetherThereArePlansAndWhatChoosesAmongThemStays() {
		this.registry.change(policy(7).plans(plans(Map.of("me", 60L))).build()).make();
		assertThat(capacity(this.limiter, "me")).isEqualTo(7);
		StoreRateLimiter planned = this.registry.register(planned(5, Map.of("pro", 60L)).build());
		this.registry.change(RateLimitPolicy.of("planned", window(6))).make();
		assertThat(capacity(planned, "pro")).isEqualTo(60);
		this.registry.change(planned(7, Map.of("pro", 90L)).plan("claim('plan')").build()).make();
		assertThat(capacity(planned, "pro")).isEqualTo(60);
		assertThat(planned.policy()).isEqualTo(planned(7, Map.of("pro", 60L)).build());
	}

	private long rejectedInShadow() {
		return shadow(this.limiter).count(RateLimitOutcome.REJECTED);
	}

	private static RateLimitPolicy.Builder planned(long limit, Map<String, Long> plans) {
		return RateLimitPolicy.builder("planned").limit(window(limit)).plans(plans(plans));
	}

	private static Map<String, RateLimitPlan> plans(Map<String, Long> limits) {
		return limits.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (plan) -> RateLimitPlan.of(window(plan.getValue()))));
	}

	private static RateLimitPolicy.Builder policy(long limit) {
		return RateLimitPolicy.builder("policy").key("'everyone'").limit(bucket(limit));
	}

}
