package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;

/**
 * Creates the policies of {@code ratelimit.policies}.
 */
final class ConfiguredPolicies {

	/* Other names need brackets, without which characters would be dropped. */
	private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_-]+");

	private ConfiguredPolicies() {
	}

	static void register(RateLimitProperties properties, RateLimiterRegistry limiter) {
		properties.policies().forEach((name, policy) -> {
			String path = "ratelimit.policies" + element(name);
			RateLimitPolicy converted = policy(name, policy, path);
			try {
				limiter.register(converted);
			}
			catch (InvalidRateLimitException ex) {
				throw asWritten(ex, policy).inProperty(path);
			}
		});
	}

	/*
	 * The store names a limit by its index, which a single limit need not have.
	 */
	private static InvalidRateLimitException asWritten(InvalidRateLimitException ex,
			RateLimitProperties.Policy policy) {
		return (SingleLimit.of(policy) != null && ex.getCause() instanceof InvalidRateLimitException ofLimit) ? ofLimit
				: ex;
	}

	private static String element(String name) {
		return PLAIN_NAME.matcher(name).matches() ? "." + name : "[" + name + "]";
	}

	private static RateLimitPolicy policy(String name, RateLimitProperties.Policy policy, String path) {
		SingleLimit single = SingleLimit.of(policy);
		if (single != null) {
			single.checkAlone(policy, path);
		}
		List<RateLimit> limits = (single != null) ? List.of(limit(single.limit(), path))
				: IntStream.range(0, policy.limits().size())
					.mapToObj((i) -> limit(policy.limits().get(i), path + ".limits[" + i + "]"))
					.toList();
		try {
			return RateLimitPolicy.builder(name).key(policy.key()).limits(limits).build();
		}
		catch (InvalidRateLimitException ex) {
			throw ex.attribute().equals("name")
					? InvalidRateLimitException.property(path, null, ex.reason(), ex.action(), ex)
					: ex.inProperty(path);
		}
	}

	private static RateLimit limit(RateLimitProperties.Limit limit, String path) {
		if (limit.limit() == null) {
			throw InvalidRateLimitException.property(path + ".limit", null, "is missing",
					"Set it to the number of permits per window.", null);
		}
		if (limit.window() == null) {
			throw InvalidRateLimitException.property(path + ".window", null, "is missing",
					"Set it to the duration that the permits are for, such as 1m.", null);
		}
		try {
			return RateLimit.builder(limit.algorithm())
				.limit(limit.limit())
				.window(limit.window())
				.burst(limit.burst())
				.delay(limit.delay())
				.nodelay(limit.nodelay())
				.countRejected(limit.countRejected())
				.build();
		}
		catch (InvalidRateLimitException ex) {
			throw ex.inProperty(path);
		}
	}

}
