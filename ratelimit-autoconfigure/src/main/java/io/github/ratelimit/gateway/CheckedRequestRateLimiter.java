package io.github.ratelimit.gateway;

import io.github.ratelimit.expression.PolicyBinding;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;

/**
 * Gateway's filter {@code RequestRateLimiter}, which checks at once whether a route names
 * the policy that it is limited by. Gateway's own would do so at the first request.
 */
final class CheckedRequestRateLimiter extends RequestRateLimiterGatewayFilterFactory {

	private CheckedRequestRateLimiter(RequestRateLimiterGatewayFilterFactory original) {
		super(original.getDefaultRateLimiter(), original.getDefaultKeyResolver());
		setDenyEmptyKey(original.isDenyEmptyKey());
		setEmptyKeyStatusCode(original.getEmptyKeyStatusCode());
		setThrowOnLimit(original.isThrowOnLimit());
	}

	/**
	 * Replaces Gateway's own.
	 * @param bean any bean
	 * @return this filter, or the bean if it is another
	 */
	static Object of(Object bean) {
		if (bean.getClass() != RequestRateLimiterGatewayFilterFactory.class) {
			return bean;
		}
		return new CheckedRequestRateLimiter((RequestRateLimiterGatewayFilterFactory) bean);
	}

	@Override
	public String name() {
		return PolicyRateLimiter.FILTER;
	}

	@Override
	public GatewayFilter apply(Config config) {
		RateLimiter<?> limiter = config.getRateLimiter();
		if (limiter == null) {
			limiter = getDefaultRateLimiter();
		}
		String route = config.getRouteId();
		PolicyBinding binding = null;
		if (limiter instanceof PolicyRateLimiter ours && route != null) {
			binding = ours.takeBinding(route);
		}

		GatewayFilter filter = super.apply(config);
		return (binding != null) ? new PolicyGatewayFilter(binding, filter) : filter;
	}

}
