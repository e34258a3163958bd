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

	KeyBeforeSecurity(KeyResolver key, String place, String remedy) {
		this.key = key;
		this.place = place;
		this.remedy = remedy;
	}

	@Override
	public @Nullable String resolveKey(RateLimitContext context) {
		String key = this.key.resolveKey(context);
		if (this.probation.isFailedBy(key != null && !key.isEmpty())) {
			logger.warn("The key of " + this.place + " was empty for each of its first hundred requests, so that they "
					+ "are limited by address. The rule runs before Spring Security, where no user is authenticated "
					+ "yet. If the key reads the user, " + this.remedy + ".");
		}
		return key;
	}

	@Override
	public boolean needsPrincipal() {
		return this.key.needsPrincipal();
	}

}
