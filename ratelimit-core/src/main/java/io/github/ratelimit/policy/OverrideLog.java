package io.github.ratelimit.policy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.support.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Says in the log who changed what. A key may be a name or an address, so that its hash
 * is logged.
 */
final class OverrideLog {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	private static final int MOST_NAMES = 100;

	private static final int LONGEST_REASON = 500;

	/* What was said once. */
	private final Set<String> said = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean lookFailed = new AtomicBoolean();

	void add(OverrideChange change) {
		RateLimitOverrides.InForce inForce = change.inForce();
		String reason = inForce.override().reason();
		StringBuilder text = new StringBuilder(change.subject())
			.append(change.removed() ? " was set back" : " was overridden")
			.append((change.who() != null) ? " by '" + ReadableText.of(change.who()) + "'" : "")
			.append(": " + numbers(change.after()) + " in place of " + numbers(change.before()));
		if (!change.removed()) {
			text.append((inForce.until() != null) ? ", until " + inForce.until() : ", until it is taken back")
				.append((reason != null) ? ", because: " + ReadableText.of(reason, LONGEST_REASON) : "");
		}
		logger.info(text);
	}

	private static String numbers(RateLimitPolicy policy) {
		return policy.limits() + ((policy.mode() == RateLimitMode.SHADOW) ? " in shadow" : "");
	}

	/**
	 * Says what another instance has changed, or what could not be read until now.
	 */
	void read(boolean first, int inForce) {
		logger.info("Overrides of rate limits "
				+ (first ? "could be read at last" : "have ended, or another instance has changed them")
				+ "; in force now: " + inForce);
	}

	/**
	 * Tells an observer. A change is in force whatever it does.
	 */
	static void tell(Runnable observer) {
		try {
			observer.run();
		}
		catch (RuntimeException ex) {
			logger.warn(
					"An observer failed on an override of a rate limit, or on its end. The change is made nevertheless",
					ex);
		}
	}

	void unreadable(RuntimeException failure) {
		logger.warn("Overrides of rate limits could not be read from the store that all instances share ("
				+ ReadableText.of(String.valueOf(failure.getMessage()))
				+ "). Policies are enforced as they are defined until they can be read");
		logger.debug("Overrides of rate limits could not be read", failure);
	}

	void lookFailed(Throwable failure) {
		if (this.lookFailed.compareAndSet(false, true)) {
			logger.warn(
					"Overrides of rate limits could not be looked for, or not be put in force. What was last known "
							+ "stays in force, and they are looked for again each second. This is logged once",
					failure);
		}
	}

	void ignored(String name, String reason) {
		int end = name.indexOf(' ');
		String policy = ReadableText.of((end < 0) ? name : name.substring(0, end));
		if (this.said.size() < MOST_NAMES && this.said.add(policy + reason)) {
			logger.warn("An override of the rate limit policy '" + policy + "' is ignored by this instance: "
					+ ReadableText.of(reason) + ". This is logged once");
		}
	}

}
