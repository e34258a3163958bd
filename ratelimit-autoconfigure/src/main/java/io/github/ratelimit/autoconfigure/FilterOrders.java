package io.github.ratelimit.autoconfigure;

import org.springframework.core.Ordered;

/**
 * The orders of the filters.
 *
 * @param before the order of the filter that runs before authentication
 * @param after the order of the filter that reads the authenticated user
 * @param secured whether Spring Security is between them
 */
record FilterOrders(int before, int after, boolean secured) {

	/* Spring Security's default order. Other filters that authenticate have any order. */
	private static final int SECURITY = -100;

	static FilterOrders withoutSecurity() {
		return new FilterOrders(SECURITY - 1, Ordered.LOWEST_PRECEDENCE, false);
	}

	static FilterOrders around(int security) {
		return new FilterOrders((security > Ordered.HIGHEST_PRECEDENCE) ? security - 1 : security,
				(security < Ordered.LOWEST_PRECEDENCE) ? security + 1 : security, true);
	}

}
