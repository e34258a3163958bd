package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.PolicyBinder;
import io.github.ratelimit.enforce.StoreRateLimiter;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import io.github.ratelimit.web.servlet.ServletRateLimits;

import org.springframework.core.env.Environment;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Checks and compiles the rules of a servlet application, when it starts and whenever
 * they change.
 */
final class RuleCompiler implements RulesInForce {

	private final RateLimiterRegistry registry;

	private final PolicyBinder binder;

	private final ServletRateLimits limits;

	private final PathPatternParser parser;

	private final boolean secured;

	private final Environment environment;

	private volatile RulesByPhase inForce = new RulesByPhase(List.of(), List.of(), Set.of());

	/* The same as they are written. */
	private volatile List<RateLimitProperties.Rule> written = List.of();

	RuleCompiler(RateLimiterRegistry registry, PolicyBinder binder, ServletRateLimits limits, PathPatternParser parser,
			boolean secured, Environment environment) {
		this.registry = registry;
		this.binder = binder;
		this.limits = limits;
		this.parser = parser;
		this.secured = secured;
		this.environment = environment;
	}

	/**
	 * Compiles the rules that the application starts with.
	 */
	RulesByPhase begin(RateLimitProperties properties) {
		RulesByPhase compiled = compile(properties, this.registry::policy,
				(name) -> this.registry.policy(name).policy());
		this.inForce = compiled;
		this.written = properties.rules();
		if (this.registry instanceof StoreRateLimiterRegistry store) {
			store.checkOverrides((policy) -> RequestTimeout.check(policy, this.written, this.environment));
		}
		return compiled;
	}

	RulesByPhase inForce() {
		return this.inForce;
	}

	@Override
	public Runnable prepare(RateLimitProperties properties, ChangedPolicies policies) {
		ClientAddresses.resolver(properties.clientAddress(), this.environment);
		RulesByPhase compiled = compile(properties, policies::limiter, policies::policy);
		if (policies.delay()) {
			this.limits.expectDelays();
		}
		return () -> {
			this.inForce = compiled;
			this.written = properties.rules();
			this.limits.enforce(compiled.beforeSecurity(), compiled.afterSecurity());
		};
	}

	private RulesByPhase compile(RateLimitProperties properties, Function<String, ? extends RateLimiter> limiters,
			Function<String, RateLimitPolicy> policies) {
		UnreachableRules.check(properties, this.environment);
		RequestTimeout.check(properties, policies, this.environment);
		return RulesByPhase.of(properties, this.parser, limiters, this.binder, this.secured);
	}

	/*
	 * Rules note what they apply a policy to when they are compiled.
	 */
	@Override
	public void release() {
		for (RateLimiter limiter : this.registry.policies()) {
			if (limiter instanceof StoreRateLimiter store) {
				store.removePlaces((place) -> place.place().startsWith(PLACE)
						&& !this.inForce.places().contains(new RulesByPhase.Place(store, place)));
			}
		}
	}

}
