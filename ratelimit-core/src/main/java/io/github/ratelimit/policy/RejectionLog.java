package io.github.ratelimit.policy;

import java.time.Duration;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.support.DurationText;
import io.github.ratelimit.support.LogBudget;
import io.github.ratelimit.support.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs rejections for whoever looks for a cause, at the level DEBUG: a client can cause
 * any number of them. A key may be a name or an address, so that its hash is logged,
 * which is the same for the same key as long as the process runs.
 */
final class RejectionLog {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	private static final int HASH_LENGTH = 16;

	private RejectionLog() {
	}

	static void add(RateLimitPolicy policy, String verb, String key, RateLimitDecision decision) {
		if (logger.isDebugEnabled()) {
			LogContext.log(policy, decision, () -> logger.debug("The rate limit policy '" + policy.name() + "' " + verb
					+ " the key with the hash " + hash(key) + ", " + retry(decision)));
		}
	}

	/**
	 * Logs a ban when it begins, at the level INFO.
	 */
	static void addBan(RateLimitPolicy policy, String key, RateLimitDecision decision, LogBudget budget) {
		if (!logger.isInfoEnabled()) {
			return;
		}

		if (budget.take()) {
			String text = "The rate limit policy '" + policy.name() + "' bans the key with the hash " + hash(key)
					+ " for " + DurationText.ofWait(Duration.ofNanos(decision.retryAfterNanos())) + ", its ban number "
					+ decision.newBan() + budget.leftOut("ban");
			LogContext.log(policy, decision, () -> logger.info(text));
		}
		else {
			budget.leaveOut();
		}
	}

	private static String retry(RateLimitDecision decision) {
		long nanos = decision.retryAfterNanos();
		if (nanos == RateLimitDecision.NEVER) {
			return "permanently";
		}
		return "for the next " + DurationText.ofWait(Duration.ofNanos(nanos));
	}

	static String hash(String key) {
		return ReadableText.hash(DecisionReports.SALT + key).substring(0, HASH_LENGTH);
	}

}
