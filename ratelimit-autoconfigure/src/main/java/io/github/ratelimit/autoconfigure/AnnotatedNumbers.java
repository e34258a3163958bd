package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

/**
 * What annotations say of their policies, for policies of {@code ratelimit.policies} that
 * have their names and do not say it themselves.
 */
final class AnnotatedNumbers {

	/* Until an annotation has given the numbers: nothing calls a policy before. */
	private static final List<RateLimit> AWAITED = List
		.of(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofDays(31)));

	private final Map<String, RateLimitPolicy> annotated = new ConcurrentHashMap<>();

	private final RateLimitProperties properties;

	private final boolean resolver;

	private volatile boolean started;

	AnnotatedNumbers(RateLimitProperties properties, boolean resolver) {
		this.properties = properties;
		this.resolver = resolver;
	}

	/**
	 * Takes what an annotation says of a policy, which may be configured too.
	 */
	void add(RateLimitPolicy policy, RateLimiterRegistry registry) {
		this.annotated.put(policy.name(), policy);
		RateLimitProperties.Policy configured = this.properties.policies().get(policy.name());
		if (!this.started && configured != null && registry instanceof StoreRateLimiterRegistry limiters) {
			ConfiguredPolicies.convert(policy.name(), configured, this.resolver, this, (converted) -> {
				if (!converted.equals(limiters.policy(converted.name()).policy())) {
					limiters.change(converted).make();
				}
			});
		}
	}

	/**
	 * Fails start-up if numbers are still missing.
	 */
	void check(RateLimiterRegistry registry) {
		this.started = true;
		this.properties.policies().forEach((name, policy) -> {
			if (isIncomplete(policy) && !this.annotated.containsKey(name)) {
				List<String> others = registry.policies()
					.stream()
					.map((limiter) -> limiter.policy().name())
					.filter((other) -> !other.equals(name))
					.toList();
				try {
					ConfiguredPolicies.convert(name, policy, this.resolver, this, (converted) -> {
					});
				}
				catch (InvalidRateLimitException ex) {
					throw InvalidRateLimitException.property(ex.attribute(), null, ex.reason(),
							Suggestion.question(name, others) + ex.action(), ex);
				}
			}
		});
	}

	RateLimitMode mode(String name, RateLimitProperties.Policy policy) {
		RateLimitPolicy annotated = this.annotated.get(name);
		if (policy.mode() != null) {
			return policy.mode();
		}
		return (annotated != null) ? annotated.mode() : RateLimitMode.ENFORCE;
	}

	List<RateLimit> limits(String name, RateLimitProperties.Policy policy, String path) {
		RateLimitPolicy annotated = this.annotated.get(name);
		if (annotated == null && !this.started && isIncomplete(policy)) {
			return AWAITED;
		}
		if (annotated == null || !policy.limits().isEmpty()) {
			return ConfiguredLimits.of(policy, path);
		}
		if (!ConfiguredLimits.areSingle(policy)) {
			return annotated.limits();
		}
		return (annotated.limits().size() == 1)
				? List.of(ConfiguredLimits.of(over(annotated.limits().get(0), policy), path))
				: ConfiguredLimits.of(policy, path);
	}

	private static boolean isIncomplete(RateLimitProperties.Policy policy) {
		return policy.limits().isEmpty() && (policy.limit() == null || policy.window() == null);
	}

	/*
	 * A burst that is the default is that of the new numbers. A calendar belongs to its
	 * window, and what only some algorithms use to the annotation's.
	 */
	private static RateLimitProperties.Limit over(RateLimit annotated, RateLimitProperties.Policy policy) {
		boolean same = policy.algorithm() == null || policy.algorithm() == annotated.algorithm();
		boolean leaky = same && annotated.algorithm().uses("delay");
		boolean burst = leaky
				|| (same && annotated.algorithm().uses("burst") && annotated.burst() != annotated.limit());
		boolean delay = leaky && !annotated.nodelay() && policy.nodelay() == null;
		CalendarWindow calendar = (policy.window() == null) ? annotated.calendar() : null;
		return new RateLimitProperties.Limit(Objects.requireNonNullElse(policy.algorithm(), annotated.algorithm()),
				Objects.requireNonNullElse(policy.limit(), annotated.limit()),
				Objects.requireNonNullElse(policy.window(), window(annotated)),
				(calendar != null) ? Objects.requireNonNullElse(policy.zone(), calendar.zone().getId()) : policy.zone(),
				(calendar != null && policy.from() == null) ? calendar.from() : policy.from(),
				burst ? Objects.requireNonNullElse(policy.burst(), annotated.burst()) : policy.burst(),
				delay ? Objects.requireNonNullElse(policy.delay(), annotated.delay()) : policy.delay(),
				Objects.requireNonNullElse(policy.nodelay(), leaky && annotated.nodelay() && policy.delay() == null),
				Objects.requireNonNullElse(policy.countRejected(), same && annotated.countRejected()));
	}

	private static String window(RateLimit limit) {
		CalendarWindow calendar = limit.calendar();
		return (calendar != null) ? "P1" + calendar.unit().charAt(0) : limit.window().toString();
	}

}
