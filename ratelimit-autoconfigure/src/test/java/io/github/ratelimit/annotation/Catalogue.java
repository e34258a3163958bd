package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.mock.env.MockEnvironment;

/**
 * Knows annotated methods, without beans.
 */
final class Catalogue {

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(
			new LocalRateLimitStore(ManualClock.atMidnight(), 10), List.of());

	private final MockEnvironment environment = new MockEnvironment();

	private final RateLimitFindings findings = new RateLimitFindings();

	private final RateLimitedMethods methods;

	Catalogue() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		PolicyBinder binder = new PolicyBinder(beans, null, null, this.findings);
		this.methods = new RateLimitedMethods(this.registry, binder, this.environment, this.findings, (policy) -> {
		});
	}

	Catalogue configured(String policy, @Nullable String key, RateLimit... limits) {
		this.registry.register(RateLimitPolicy.builder(policy).key(key).limits(List.of(limits)).build());
		return this;
	}

	Catalogue property(String name, String value) {
		this.environment.setProperty(name, value);
		return this;
	}

	List<PolicyBinding> find(Class<?> type, String method) {
		return find(type, method(type, method));
	}

	List<PolicyBinding> find(Class<?> type, Method method) {
		return this.methods.limitedMethod(method, type).bindings();
	}

	List<RateLimitPolicy> policies(Class<?> type, String method) {
		return find(type, method).stream().map((binding) -> binding.limiter().policy()).toList();
	}

	RateLimitPolicy policy(Class<?> type, String method) {
		List<RateLimitPolicy> policies = policies(type, method);
		return policies.get(policies.size() - 1);
	}

	List<String> names(Class<?> type, String method) {
		return policies(type, method).stream().map(RateLimitPolicy::name).toList();
	}

	List<RateLimitFinding> findings() {
		return this.findings.list();
	}

	RateLimiterRegistry limiter() {
		return this.registry;
	}

	/**
	 * Finds the only method of a name, of the type itself or else of what it extends.
	 * Which of several comes first differs from one JVM to the next, so that overloads
	 * are asked for by their parameters.
	 */
	static Method method(Class<?> type, String name) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			List<Method> found = Arrays.stream(each.getDeclaredMethods())
				.filter((method) -> method.getName().equals(name) && !method.isBridge())
				.toList();
			if (found.size() > 1) {
				throw new IllegalArgumentException(name + " is overloaded: " + found);
			}
			if (!found.isEmpty()) {
				return found.get(0);
			}
		}
		throw new IllegalArgumentException(type + " has no method " + name);
	}

}
