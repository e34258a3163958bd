package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.LimitedMethod;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedPlace;
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
 * {@link PolicyBinder}, {@link PolicyBinding} and {@link LimitedMethod}: what is known of
 * a policy at a place before any call.
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

	private final PolicyBinder binder = new PolicyBinder(this.beans,
			PolicyBinder.defaultKey("clientAddress", this.beans));

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void aRuleIsAPlaceThatThePolicyIsAppliedTo() {
		PolicyBinding binding = rule(null, null, null);
		assertThat(this.limiter.appliedTo()).containsExactly("/path");
		assertThat(binding.limiter()).isSameAs(this.limiter);
	}

	@Test
	void aMethodIsAPlaceThatThePolicyIsAppliedTo() {
		assertThat(method("", "", "").limiter()).isSameAs(this.limiter);
		assertThat(this.limiter.appliedTo()).containsExactly("Service.call");
	}

	@Test
	void onlyAKeyThatDiffersFromThePolicysIsTheRulesOwn() {
		rule(null, null, null);
		rule("'everyone'", null, null);
		assertThat(this.limiter.hasOwnKeys()).isFalse();
		rule("clientAddress", null, null);
		assertThat(this.limiter.hasOwnKeys()).isTrue();
	}

	@Test
	void onlyAKeyThatDiffersFromThePolicysIsTheMethodsOwn() {
		method("", "", "");
		method("'everyone'", "", "");
		assertThat(this.limiter.hasOwnKeys()).isFalse();
		method("#user", "", "");
		assertThat(this.limiter.hasOwnKeys()).isTrue();
	}

	@Test
	void placesShowOnlyWhatIsTheirOwn() {
		rule("'everyone'", null, null);
		rule("clientAddress", "2", "true");
		method("", "", "");
		method("#user", "#user.length()", "#user != null");
		assertThat(this.limiter.places()).containsExactly(new AppliedPlace("/path", "clientAddress", "2", "true", null),
				new AppliedPlace("/path"),
				new AppliedPlace("Service.call", "#user", "#user.length()", "#user != null", null),
				new AppliedPlace("Service.call"));
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
	void beforeSecurityTheSamePolicyIsEnforced() {
		PolicyBinding binding = rule("principal.name", null, null);
		assertThat(binding.beforeSecurity("wait")).isNotSameAs(binding).returns(this.limiter, PolicyBinding::limiter);
	}

	@Test
	void aMethodNeedsItsArgumentsWhereAnExpressionReadsThem() {
		PolicyBinding plain = method("", "", "");
		PolicyBinding reading = method("#user", "", "");
		assertThat(limited().needsArguments()).isFalse();
		assertThat(limited(plain).needsArguments()).isFalse();
		assertThat(limited(plain, reading).needsArguments()).isTrue();
	}

	@Test
	void aMethodWithoutPoliciesIsUnlimited() {
		assertThat(limited().isUnlimited()).isTrue();
		assertThat(limited(method("", "", "")).isUnlimited()).isFalse();
	}

	@Test
	void oneLimitWithAChargeMakesTheMethodCharged() {
		PolicyBinding charging = this.binder.bindMethod(this.limiter, METHOD, "Service.call", "", "", "",
				"exception == null");
		assertThat(limited(method("", "", "")).isCharged()).isFalse();
		assertThat(limited(method("", "", ""), charging).isCharged()).isTrue();
	}

	private static LimitedMethod limited(PolicyBinding... bindings) {
		return new LimitedMethod(METHOD, List.of(bindings), void.class);
	}

	private PolicyBinding rule(@Nullable String key, @Nullable String cost, @Nullable String condition) {
		return this.binder.bindRule(this.limiter, "/path", "ratelimit.rules[0]", key, cost, condition);
	}

	private PolicyBinding method(String key, String cost, String condition) {
		return this.binder.bindMethod(this.limiter, METHOD, "Service.call", key, cost, condition, "");
	}

	static class Service {

		public void call(String user) {
		}

	}

}
