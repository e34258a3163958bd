package io.github.ratelimit.expression;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * The client's address as the key, as {@code clientAddress} evaluates to. The default of
 * most applications, for which SpEL is not loaded.
 */
final class ClientAddressKey implements KeyResolver {

	@Override
	public @Nullable String resolveKey(RateLimitContext context) {
		RequestView request = context.request();
		return (request != null) ? request.clientAddress() : null;
	}

	@Override
	public boolean needsPrincipal() {
		return false;
	}

}
