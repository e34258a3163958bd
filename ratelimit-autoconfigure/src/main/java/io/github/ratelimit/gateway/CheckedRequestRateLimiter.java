package io.github.ratelimit.gateway;

import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;

/**
 * Gateway's filter {@code RequestRateLimiter}, which finds at once which policy limits a
 * route, and refuses arguments that have no effect. Gateway's own would ask for the
 * policy at each request, by the route.
 */
final class CheckedRequestRateLimiter extends RequestRateLimiterGatewayFilterFactory {

	private static final String COST = "cost";

	private static final String KEY = "key";

	private static final String POLICY = "policy";

	private final Supplier<@Nullable PolicyRateLimiter> ours;

	private CheckedRequestRateLimiter(RequestRateLimiterGatewayFilterFactory original,
			Supplier<@Nullable PolicyRateLimiter> ours) {
		super(original.getDefaultRateLimiter(), original.getDefaultKeyResolver());
		this.ours = ours;
		setDenyEmptyKey(original.isDenyEmptyKey());
		setEmptyKeyStatusCode(original.getEmptyKeyStatusCode());
		setThrowOnLimit(original.isThrowOnLimit());
	}

	/**
	 * Replaces Gateway's own.
	 * @param bean any bean
	 * @param ours finds our limiter, {@code null} if the application has one of that name
	 * @return this filter, or the bean if it is another
	 */
	static Object of(Object bean, Supplier<@Nullable PolicyRateLimiter> ours) {
		if (bean.getClass() != RequestRateLimiterGatewayFilterFactory.class) {
			return bean;
		}
		return new CheckedRequestRateLimiter((RequestRateLimiterGatewayFilterFactory) bean, ours);
	}

	@Override
	public String name() {
		return PolicyRateLimiter.FILTER;
	}

	@Override
	public GatewayFilter apply(Config config) {
		PolicyRateLimiter ours = this.ours.get();
		if (ours == null) {
			return super.apply(config);
		}

		String route = config.getRouteId();
		List<String> written = ours.takeArguments(route);
		RateLimiter<?> limiter = config.getRateLimiter();
		if (limiter == null) {
			limiter = getDefaultRateLimiter();
		}
		if (limiter != ours) {
			checkArgumentsOfAnother(written, limiter, route);
			return super.apply(config);
		}

		checkArguments(written, route);
		BoundRateLimiter bound = ours.bound(route, written);
		if (bound == null) {
			return super.apply(config);
		}
		return new PolicyGatewayFilter(bound.binding, enforcement(config, ours, bound));
	}

	private GatewayFilter enforcement(Config config, PolicyRateLimiter ours, BoundRateLimiter bound) {
		config.setRateLimiter(bound);
		try {
			return super.apply(config);
		}
		finally {
			config.setRateLimiter(ours);
		}
	}

	/*
	 * What another limiter reads has a prefix of its own.
	 */
	private static void checkArguments(List<String> written, @Nullable String route) {
		for (String name : written) {
			String action = null;
			if (RouteLimit.isArgument(name, COST) || RouteLimit.isArgument(name, POLICY)) {
				action = "Write ratelimit." + name + ".";
			}
			else if (RouteLimit.isArgument(name, KEY)) {
				action = "Write key-resolver with a KeyResolver bean of Spring Cloud Gateway as \"#{@name}\", "
						+ "or the filter RateLimit, which has a key.";
			}
			else if (name.contains(".") && !PolicyRateLimiter.isOwnArgument(name)) {
				action = "Remove it: the policy has the numbers. In place of requestedTokens write ratelimit.cost.";
			}

			if (action != null) {
				throw InvalidRateLimitException.of("The " + RouteLimit.location(PolicyRateLimiter.FILTER, route),
						"has the argument '" + name + "', which the limiter 'ratelimit' does not read", action, null);
			}
		}
	}

	private static void checkArgumentsOfAnother(List<String> written, RateLimiter<?> limiter, @Nullable String route) {
		for (String name : written) {
			if (PolicyRateLimiter.isOwnArgument(name)) {
				throw InvalidRateLimitException.of("The " + RouteLimit.location(PolicyRateLimiter.FILTER, route),
						"has the argument '" + name + "', which its limiter, a " + limiter.getClass().getSimpleName()
								+ ", does not read",
						"Write rate-limiter: \"#{@ratelimit}\" beside it, or the filter RateLimit instead.", null);
			}
		}
	}

}
