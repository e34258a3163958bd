package io.github.ratelimit.enforce;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts what becomes of the requests of one limiter, and tells the log and the
 * listeners.
 */
final class DecisionReports {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	private final LongAdder[] outcomes = Counters.of(RateLimitOutcome.values());

	private final LongAdder[] settlements = Counters.of(RateLimitSettlement.values());

	private final LongAdder[] failures = Counters.of(RateLimitExpression.values());

	/* What is decided in shadow, under whichever version. */
	final ShadowCounts shadow;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final RateLimitListener[] listeners;

	private final BanLog bans;

	DecisionReports(RateLimitPolicy policy, List<RateLimitListener> listeners, RateLimitClock clock) {
		this.shadow = new ShadowCounts(policy);
		this.bans = new BanLog(clock);
		this.listeners = listeners.toArray(RateLimitListener[]::new);
	}

	void add(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.outcomes[outcome.ordinal()].increment();
		switch (outcome) {
			case REJECTED, QUEUE_FULL, UNAVAILABLE -> RejectionLog.add(policy.name(), key, decision);
			case BANNED -> {
				RejectionLog.add(policy.name(), key, decision);
				addNewBan(policy, key, decision);
			}
			case ALLOWED, DELAYED, RETURNED -> {
			}
		}
		for (RateLimitListener listener : this.listeners) {
			listener.onDecision(policy, key, decision, outcome);
		}
	}

	void addNewBan(RateLimitPolicy policy, String key, RateLimitDecision decision) {
		if (decision.newBan() > 0) {
			this.bans.add(policy.name(), key, decision);
			Instant until = BanLog.end(decision);
			for (RateLimitListener listener : this.listeners) {
				listener.onBan(policy, key, until, decision.newBan());
			}
		}
	}

	/**
	 * Counts and tells what would have become of a request. No failure of a listener
	 * reaches it.
	 */
	void addShadow(RateLimitPolicy policy, String key, RateLimitDecision decision) {
		RateLimitOutcome outcome = RateLimitOutcome.of(decision);
		this.shadow.add(outcome);
		if (!decision.allowed()) {
			this.shadow.addRejected(key);
			RejectionLog.addShadow(policy.name(), key, decision);
		}
		try {
			for (RateLimitListener listener : this.listeners) {
				listener.onDecision(policy, key, decision, outcome);
			}
		}
		catch (RuntimeException ex) {
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("A RateLimitListener failed on a decision of the rate limit policy '" + policy.name()
						+ "' in shadow. The request goes on, and this is logged once", ex);
			}
		}
	}

	void add(RateLimitSettlement settlement) {
		this.settlements[settlement.ordinal()].increment();
	}

	void add(RateLimitExpression failed) {
		this.failures[failed.ordinal()].increment();
	}

	long count(RateLimitOutcome outcome) {
		return this.outcomes[outcome.ordinal()].sum();
	}

	long count(RateLimitSettlement settlement) {
		return this.settlements[settlement.ordinal()].sum();
	}

	long count(RateLimitExpression failed) {
		return this.failures[failed.ordinal()].sum();
	}

}
