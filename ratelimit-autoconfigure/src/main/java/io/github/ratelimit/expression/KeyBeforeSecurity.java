package io.github.ratelimit.expression;

import io.github.ratelimit.Probation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A key that code computes before Spring Security has run. If the code reads the
 * authenticated user, it finds none, and every user is limited by address: a warning is
 * logged once.
 */
final class KeyBeforeSecurity implements KeyResolver {

	private static final Log logger = LogFactory.getLog(CallExpressions.class);

	private final KeyResolver key;

	private final String place;

	private final String remedy;

	private final Probation probation = new Probation();

	private final Runnable warned;

	KeyBeforeSecurity(KeyResolver key, String place, String remedy, Runnable warned) {
		this.key = key;
		this.place = place;
		this.remedy = remedy;
		this.warned = warned;
	}

	@Override
	public @Nullable String resolveKey(RateLimitContext context) {
		String key = this.key.resolveKey(context);
		if (!this.probation.isOver() && isFailed(key != null && !key.isEmpty(), context)) {
			logger.warn("The key of " + this.place + " was empty for each of its first hundred requests of clients, so "
					+ "that they are limited by address. The rule runs before Spring Security, where no user is "
					+ "authenticated yet. If the key reads the user, " + this.remedy + ".");
			this.warned.run();
		}
		return key;
	}

	private boolean isFailed(boolean worked, RateLimitContext context) {
		RequestView request = context.request();
		return this.probation.isFailedBy(worked, worked || request != null && CallExpressions.isOfClient(request));
	}

	@Override
	public boolean needsPrincipal() {
		return this.key.needsPrincipal();
	}

}
