package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Binds one policy to one method, {@link Service#call}, and resolves calls of it.
 */
final class Bindings {

	static final Method METHOD = ClassUtils.getMethod(Service.class, "call", (Class<?>[]) null);

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private @Nullable KeyResolver resolver;

	Bindings withBean(String name, Object bean) {
		this.beans.registerSingleton(name, bean);
		return this;
	}

	Bindings withResolver(KeyResolver resolver) {
		this.resolver = resolver;
		return this;
	}

	DefaultListableBeanFactory beans() {
		return this.beans;
	}

	PolicyBinding key(@Nullable String key) {
		return bind(key, null, null, null);
	}

	PolicyBinding cost(@Nullable String cost) {
		return bind(null, cost, null, null);
	}

	PolicyBinding condition(String condition) {
		return bind(null, null, condition, null);
	}

	PolicyBinding charge(String charge) {
		return bind(null, null, null, charge);
	}

	PolicyBinding chargeEach(@Nullable String chargeEach, @Nullable String charge) {
		return bind(new AppliedLocation("Service.call()", null, null, null, charge, chargeEach), METHOD, null);
	}

	private PolicyBinding bind(@Nullable String key, @Nullable String cost, @Nullable String condition,
			@Nullable String charge) {
		return bind(new AppliedLocation("Service.call()", key, cost, condition, charge), METHOD, null);
	}

	PolicyBinding bind(AppliedLocation place, @Nullable Method method, @Nullable String property) {
		RateLimiterRegistry registry = new StoreRateLimiterRegistry(
				new LocalRateLimitStore(ManualClock.atMidnight(), 10), List.of());
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1));
		return new PolicyBinder(this.beans, this.resolver, null, new RateLimitFindings())
			.bind(registry.register(RateLimitPolicy.of("calls", limit)), place, method, property);
	}

	static @Nullable PermitRequest resolve(PolicyBinding binding, @Nullable RequestView request, Object... arguments) {
		List<PermitRequest> asked = resolveAll(binding, request, arguments);
		return asked.isEmpty() ? null : asked.get(0);
	}

	static List<PermitRequest> resolveAll(PolicyBinding binding, @Nullable RequestView request, Object... arguments) {
		List<PermitRequest> asked = new ArrayList<>();
		binding.resolve(RateLimitContext.ofCall(request, new Service(), METHOD, arguments), null, asked);
		return asked;
	}

	static String keyOf(PolicyBinding binding, @Nullable RequestView request, Object... arguments) {
		PermitRequest resolved = resolve(binding, request, arguments);
		return (resolved != null) ? resolved.key() : "unlimited";
	}

	static final class Service {

		public void call(String user, List<String> items) {
		}

		public String getTenant() {
			return "acme";
		}

	}

}
