package io.github.ratelimit.enforce;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;

/**
 * Counts what becomes of the requests of one limiter, and tells the log and the
 * listeners.
 */
final class DecisionReports {

	private final LongAdder[] outcomes = Counters.of(RateLimitOutcome.values());

	private final LongAdder[] settlements = Counters.of(RateLimitSettlement.values());

	private final LongAdder[] failures = Counters.of(RateLimitExpression.values());

	private final RateLimitListener[] listeners;

	private final BanLog bans;

	DecisionReports(List<RateLimitListener> listeners, RateLimitClock clock) {
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

	List<RateLimitListener> listeners() {
		return List.of(this.listeners);
	}

}
