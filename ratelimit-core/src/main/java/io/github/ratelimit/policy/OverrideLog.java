package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.support.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs who changed what. A key may be a name or an address, so that its hash is logged.
 */
final class OverrideLog {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	private static final int MAX_NAMES = 100;

	private static final int MAX_REASON_LENGTH = 500;

	/* What is logged once only. */
	private final Set<String> logged = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean readFailed = new AtomicBoolean();

	void add(OverrideChange change) {
		String verb = change.removed() ? " was set back" : " was overridden";
		StringBuilder text = new StringBuilder(change.subject()).append(verb);
		if (change.who() != null) {
			text.append(" by '").append(ReadableText.of(change.who())).append('\'');
		}
		text.append(": ").append(numbers(change.after()));
		text.append(" in place of ").append(numbers(change.before()));
		if (!change.removed()) {
			text.append(end(change.inForce()));
		}
		logger.info(text);
	}

	/**
	 * Logs that an override was taken back which this instance could not put in force.
	 */
	void removedUnread(RateLimitOverride.Target target, @Nullable String who) {
		String by = (who != null) ? " by '" + ReadableText.of(who) + "'" : "";
		logger.info("An override of the rate limit policy '" + target.policy() + "' that this instance had ignored was "
				+ "set back" + by);
	}

	private static String end(RateLimitOverrides.InForce inForce) {
		Instant until = inForce.until();
		String end = (until != null) ? ", until " + until : ", until it is taken back";
		String reason = inForce.override().reason();
		if (reason == null) {
			return end;
		}
		return end + ", because: " + ReadableText.of(reason, MAX_REASON_LENGTH);
	}

	private static String numbers(RateLimitPolicy policy) {
		String limits = policy.limits().toString();
		return switch (policy.mode()) {
			case SHADOW -> limits + " in shadow";
			case INFORM -> limits + " that inform";
			case ENFORCE -> limits;
		};
	}

	/**
	 * Logs that overrides were read which another instance has changed, or which could
	 * not be read until now.
	 */
	void read(boolean first, int inForce) {
		String what = first ? "could be read at last" : "have ended, or another instance has changed them";
		logger.info("Overrides of rate limits " + what + "; in force now: " + inForce);
	}

	/**
	 * Notifies an observer. A change is in force whatever it does.
	 */
	static void notifyObserver(Runnable observer) {
		try {
			observer.run();
		}
		catch (RuntimeException ex) {
			logger.warn("An observer failed on a change of rate limits. The change is made nevertheless", ex);
		}
	}

	void unreadable(RuntimeException failure) {
		logger.warn("Overrides of rate limits could not be read from the store that all instances share ("
				+ ReadableText.of(String.valueOf(failure.getMessage()))
				+ "). Policies are enforced as they are defined until they can be read");
		logger.debug("Overrides of rate limits could not be read", failure);
	}

	void readFailed(Throwable failure) {
		if (this.readFailed.compareAndSet(false, true)) {
			logger.warn(
					"Overrides of rate limits could not be looked for, or not be put in force. What was last known "
							+ "stays in force, and they are looked for again each second. This is logged once",
					failure);
		}
	}

	void ignoredIntervention(String reason) {
		if (this.logged.size() < MAX_NAMES && this.logged.add(reason)) {
			logger.warn("A ban, exemption or denial by hand is ignored by this instance: " + ReadableText.of(reason)
					+ ". This is logged once");
		}
	}

	void ignored(String name, String reason) {
		int end = name.indexOf(' ');
		String known = (end < 0) ? name : name.substring(0, end);
		String policy = ReadableText.of(known);
		if (this.logged.size() < MAX_NAMES && this.logged.add(policy + reason)) {
			logger.warn("An override of the rate limit policy '" + policy + "' is ignored by this instance: "
					+ ReadableText.of(reason) + ". This is logged once");
		}
	}

}
