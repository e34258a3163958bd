package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.LogBudget;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitReceipt;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts what becomes of the requests of one limiter, and tells the log and the
 * listeners.
 */
final class DecisionReports {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	final Counts<RateLimitOutcome> outcomes = new Counts<>(RateLimitOutcome.values());

	final Counts<RateLimitSettlement> settlements = new Counts<>(RateLimitSettlement.values());

	final Counts<RateLimitExpression> failures = new Counts<>(RateLimitExpression.values());

	/* What is decided in shadow, under whichever version. */
	final ShadowCounts shadow;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final RateLimitListener[] listeners;

	private final LogBudget bans;

	DecisionReports(RateLimitPolicy policy, List<RateLimitListener> listeners, RateLimitClock clock) {
		this.shadow = new ShadowCounts(policy);
		this.bans = new LogBudget(clock);
		this.listeners = listeners.toArray(RateLimitListener[]::new);
	}

	void add(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.outcomes.add(outcome);
		switch (outcome) {
			case REJECTED, QUEUE_FULL, UNAVAILABLE -> RejectionLog.add(policy.name(), "rejected", key, decision);
			case BANNED -> {
				RejectionLog.add(policy.name(), "rejected", key, decision);
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
			RejectionLog.addBan(policy.name(), key, decision, this.bans);
			Instant until = endOfBan(decision);
			for (RateLimitListener listener : this.listeners) {
				listener.onBan(policy, key, until, decision.newBan());
			}
		}
	}

	/**
	 * Counts and tells what would have become of a request. No failure of a listener
	 * reaches it.
	 * @param decision the decision, or {@code null} if the store has failed
	 */
	void addShadow(RateLimitPolicy policy, String key, @Nullable RateLimitDecision decision) {
		if (decision == null || decision.unavailable()) {
			this.shadow.addDropped();
			return;
		}
		RateLimitOutcome outcome = RateLimitOutcome.of(decision);
		this.shadow.add(outcome);
		if (!decision.allowed()) {
			this.shadow.addRejected(key);
			RejectionLog.add(policy.name(), "would have rejected", key, decision);
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

	/*
	 * By the store's clock if that is known.
	 */
	private static Instant endOfBan(RateLimitDecision decision) {
		long begin = (decision instanceof RateLimitReceipt receipt) ? receipt.decidedAtNanos(0)
				: RateLimitClock.system().nanos();
		return Instant.EPOCH.plusNanos(begin + decision.retryAfterNanos());
	}

	/**
	 * Counts each constant of an enumeration.
	 */
	static final class Counts<E extends Enum<E>> {

		private final LongAdder[] counts;

		Counts(E[] constants) {
			this.counts = new LongAdder[constants.length];
			for (int i = 0; i < this.counts.length; i++) {
				this.counts[i] = new LongAdder();
			}
		}

		void add(E constant) {
			this.counts[constant.ordinal()].increment();
		}

		long of(E constant) {
			return this.counts[constant.ordinal()].sum();
		}

	}

}
