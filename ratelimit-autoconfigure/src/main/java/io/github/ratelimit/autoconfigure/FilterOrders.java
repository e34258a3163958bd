package io.github.ratelimit.autoconfigure;

import org.springframework.core.Ordered;

/**
 * Where the filters stand among the application's.
 *
 * @param before the order of the filter that needs nobody to be authenticated
 * @param after the order of the one that reads the authenticated user
 * @param secured whether Spring Security is between them
 */
record FilterOrders(int before, int after, boolean secured) {

	/* Where Spring Security would be; whatever else authenticates comes anywhere. */
	private static final int SECURITY = -100;

	static FilterOrders withoutSecurity() {
		return new FilterOrders(SECURITY - 1, Ordered.LOWEST_PRECEDENCE, false);
	}

	static FilterOrders around(int security) {
		return new FilterOrders((security > Ordered.HIGHEST_PRECEDENCE) ? security - 1 : security,
				(security < Ordered.LOWEST_PRECEDENCE) ? security + 1 : security, true);
	}

}
