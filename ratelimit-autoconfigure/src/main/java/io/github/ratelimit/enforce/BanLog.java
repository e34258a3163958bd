package io.github.ratelimit.enforce;

import java.time.Duration;
import java.time.Instant;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.LogBudget;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitReceipt;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs bans of one policy when they begin, with the hash of the key as
 * {@link RejectionLog} has it.
 */
final class BanLog {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	private final LogBudget budget;

	BanLog(RateLimitClock clock) {
		this.budget = new LogBudget(clock);
	}

	void add(String policy, String key, RateLimitDecision decision) {
		if (!logger.isInfoEnabled()) {
			return;
		}
		if (this.budget.take()) {
			logger.info("The rate limit policy '" + policy + "' bans the key with the hash " + RejectionLog.hash(key)
					+ " for " + DurationText.ofWait(Duration.ofNanos(decision.retryAfterNanos())) + ", its ban number "
					+ decision.newBan() + this.budget.leftOut("ban"));
		}
		else {
			this.budget.leaveOut();
		}
	}

	/**
	 * When a ban ends that a decision begins, by the store's clock if that is known.
	 */
	static Instant end(RateLimitDecision decision) {
		long begin = (decision instanceof RateLimitReceipt receipt) ? receipt.decidedAtNanos(0)
				: RateLimitClock.system().nanos();
		return Instant.EPOCH.plusNanos(begin + decision.retryAfterNanos());
	}

}
