package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.LimitedMethod;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests {@link PolicyBinder}, {@link PolicyBinding} and {@link LimitedMethod}: what is
 * known of a policy at a location before any call.
 */
class PolicyBindingTests {

	private static final Method METHOD = ClassUtils.getMethod(Service.class, "call", String.class);

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 10);

	private final StoreRateLimiter limiter = new StoreRateLimiterRegistry(this.store, List.of())
		.register(RateLimitPolicy.builder("policy")
			.key("'everyone'")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1)))
			.build());

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final PolicyBinder binder = new PolicyBinder(this.beans, null, null, new RateLimitFindings());

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void placesShowOnlyWhatIsTheirOwn() {
		rule(null, null, null);
		method(null, null, null, null);
		rule("'everyone'", null, null);
		method("'everyone'", null, null, null);
		assertThat(this.limiter.appliedTo()).containsExactly("/path", "Service.call");
		assertThat(this.limiter.hasOwnKeys()).isFalse();
		rule("clientAddress", "2", "true");
		method("#user", "#user.length()", "#user != null", null);
		assertThat(this.limiter.hasOwnKeys()).isTrue();
		assertThat(this.limiter.locations()).containsExactly(
				new AppliedLocation("/path", "clientAddress", "2", "true", null), new AppliedLocation("/path"),
				new AppliedLocation("Service.call", "#user", "#user.length()", "#user != null", null),
				new AppliedLocation("Service.call"));
	}

	@Test
	void whatNoCallCanChangeIsConstant() {
		assertThat(rule(null, null, null).constant()).isNotNull()
			.returns(this.limiter, PermitRequest::limiter)
			.returns(1L, PermitRequest::permits)
			.extracting(PermitRequest::key)
			.asString()
			.contains("everyone");
		assertThat(rule("clientAddress", null, null).constant()).isNull();
		assertThat(rule(null, "2", null).constant()).isNull();
		assertThat(rule(null, null, "true").constant()).isNull();
	}

	@Test
	void aMethodNeedsWhatOneOfItsPoliciesNeeds() {
		PolicyBinding plain = method(null, null, null, null);
		PolicyBinding reading = method("#user", null, null, null);
		PolicyBinding charging = method(null, null, null, "exception == null");
		assertThat(limited().isUnlimited()).isTrue();
		assertThat(limited(plain)).returns(false, LimitedMethod::isUnlimited)
			.returns(false, LimitedMethod::needsArguments)
			.returns(false, LimitedMethod::isCharged);
		assertThat(limited(plain, reading).needsArguments()).isTrue();
		assertThat(limited(plain, charging).isCharged()).isTrue();
	}

	private static LimitedMethod limited(PolicyBinding... bindings) {
		return new LimitedMethod(METHOD, List.of(bindings), void.class);
	}

	@Test
	void constantQuestionFollowsTheVersionAndIsTheSameOtherwise() {
		RateLimit defined = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 100, Duration.ofMinutes(1));
		RateLimit overridden = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1));
		ManualClock clock = ManualClock.atMidnight();
		try (LocalRateLimitStore changing = new LocalRateLimitStore(clock, 10)) {
			StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(changing, List.of(),
					PlanSettings.of(null, clock));
			RateLimitPolicy policy = RateLimitPolicy.builder("api").key("'everyone'").limit(defined).build();
			PolicyBinding binding = this.binder.bind(registry.register(policy), new AppliedLocation("/path"), null,
					"ratelimit.rules[0]");
			PermitRequest first = binding.constant();
			assertThat(first.effectivePolicy().policy().limits()).containsExactly(defined);
			assertThat(binding.constant()).isSameAs(first);
			registry.overrides()
				.put(RateLimitOverride.of("api").limit(overridden).duration(Duration.ofMinutes(1)).build());
			PermitRequest second = binding.constant();
			assertThat(second.effectivePolicy().policy().limits()).containsExactly(overridden);
			assertThat(binding.constant()).isSameAs(second);
			clock.advance(Duration.ofMinutes(1));
			assertThat(binding.constant()).isEqualTo(first);
		}
	}

	private PolicyBinding rule(@Nullable String key, @Nullable String cost, @Nullable String condition) {
		return this.binder.bind(this.limiter, new AppliedLocation("/path", key, cost, condition, null), null,
				"ratelimit.rules[0]");
	}

	private PolicyBinding method(@Nullable String key, @Nullable String cost, @Nullable String condition,
			@Nullable String charge) {
		return this.binder.bind(this.limiter, new AppliedLocation("Service.call", key, cost, condition, charge), METHOD,
				null);
	}

	static class Service {

		public void call(String user) {
		}

	}

}
