package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Publishes what each policy counts anyway, so that it costs a request nothing:
 * {@code ratelimit.requests}, {@code ratelimit.expression.failures},
 * {@code ratelimit.keys}, {@code ratelimit.evictions} and {@code ratelimit.fallbacks}.
 */
public final class RateLimitMetrics implements MeterBinder {

	private final RateLimiterRegistry limiter;

	/**
	 * Creates the binder.
	 * @param limiter whose policies to publish, those that are registered later included
	 */
	public RateLimitMetrics(RateLimiterRegistry limiter) {
		this.limiter = limiter;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.limiter.observe((policy) -> bind(policy, registry));
	}

	private static void bind(RateLimiter policy, MeterRegistry registry) {
		String name = policy.policy().name();
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			FunctionCounter.builder("ratelimit.requests", policy, (counted) -> counted.count(outcome))
				.description("Requests that a policy decided on, by what became of them")
				.tag("policy", name)
				.tag("outcome", outcome.id())
				.register(registry);
		}
		for (RateLimitExpression expression : RateLimitExpression.values()) {
			FunctionCounter.builder("ratelimit.expression.failures", policy, (counted) -> counted.failures(expression))
				.description("Requests whose key, cost or condition failed, and that were limited nevertheless")
				.tag("policy", name)
				.tag("expression", expression.id())
				.register(registry);
		}
		Gauge.builder("ratelimit.keys", policy, RateLimitMetrics::keys)
			.description("Keys that a policy keeps a state of")
			.tag("policy", name)
			.register(registry);
		FunctionCounter.builder("ratelimit.evictions", policy, RateLimiter::evictions)
			.description("Keys that were forgotten for want of room while they still counted")
			.tag("policy", name)
			.register(registry);
		FunctionCounter.builder("ratelimit.fallbacks", policy, RateLimiter::fallbacks)
			.description("Decisions that were left to on-failure, because the store could not make them")
			.tag("policy", name)
			.register(registry);
	}

	private static double keys(RateLimiter policy) {
		long keys = policy.keys();
		return (keys >= 0) ? keys : Double.NaN;
	}

}
