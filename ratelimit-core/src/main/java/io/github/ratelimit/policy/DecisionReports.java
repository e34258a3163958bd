package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.support.LogBudget;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts what becomes of the requests of one limiter, and tells the log and the
 * listeners.
 */
final class DecisionReports {

	/*
	 * Without it, a list of all addresses would tell whose a hash of a key is. Made when
	 * the application starts: where random numbers come from a file, an event loop must
	 * not wait for them.
	 */
	static final String SALT = UUID.randomUUID().toString();

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	final OutcomeCounts outcomes = new OutcomeCounts();

	/* Whether also those are told that pass as they are. */
	final boolean followed;

	final OutcomeCounts settlements = new OutcomeCounts();

	final AtomicLongArray failures = new AtomicLongArray(RateLimitExpression.values().length);

	/* What is decided in shadow, under whichever version, once something is. */
	volatile @Nullable ShadowCounts shadow;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final RateLimitListener[] listeners;

	final @Nullable RequestObserver observer;

	/* Are told how long each delayed request waits; by what records it. */
	final Map<Object, Consumer<Duration>> delays = new ConcurrentHashMap<>();

	private final LogBudget bans;

	DecisionReports(List<RateLimitListener> listeners, @Nullable RequestObserver observer, RateLimitClock clock) {
		this.observer = observer;
		this.bans = new LogBudget(clock::nanos);
		this.listeners = listeners.toArray(new RateLimitListener[0]);
		this.followed = observer != null || !listeners.isEmpty();
	}

	/**
	 * Tells what became of a request, which is counted already.
	 */
	void add(RateLimitPolicy policy, String key, long permits, RateLimitDecision decision, RateLimitOutcome outcome) {
		if (this.observer != null && outcome != RateLimitOutcome.RETURNED) {
			this.observer.observe(key, permits);
		}
		switch (outcome) {
			case DELAYED -> this.delays.values().forEach((delays) -> delays.accept(decision.delay()));
			case REJECTED, QUEUE_FULL, UNAVAILABLE, BANNED -> {
				addRejection(policy, "rejected", key, decision, outcome != RateLimitOutcome.UNAVAILABLE);
				addNewBan(policy, key, decision);
			}
			case ALLOWED, RETURNED -> {
			}
		}
		for (RateLimitListener listener : this.listeners) {
			listener.onDecision(policy, key, decision, outcome);
		}
	}

	private void addRejection(RateLimitPolicy policy, String verb, String key, RateLimitDecision decision,
			boolean observed) {
		RejectionLog.add(policy.name(), verb, key, decision);
		if (this.observer != null && observed) {
			this.observer.reject(key, RejectionLog::hash);
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
	 * Counts what is decided in shadow from now on.
	 * @param policy the policy with the numbers that are tried
	 * @param told whether these are told to be tried, or only if none are
	 */
	synchronized void follow(RateLimitPolicy policy, boolean told) {
		if (this.shadow == null) {
			this.shadow = new ShadowCounts(policy);
		}
		else if (told) {
			this.shadow.policy = policy;
		}
	}

	/**
	 * Counts and tells what would have become of a request. No failure of a listener
	 * reaches it.
	 * @param decision the decision, or {@code null} if the store has failed
	 * @param alone whether nothing is enforced beside it
	 */
	void addShadow(RateLimitPolicy policy, String key, @Nullable RateLimitDecision decision, boolean alone) {
		ShadowCounts shadow = Objects.requireNonNull(this.shadow);
		if (decision == null || decision.unavailable()) {
			shadow.dropped.increment();
			return;
		}
		RateLimitOutcome outcome = decision.outcome();
		shadow.counts.add(outcome);
		if (!decision.allowed()) {
			shadow.rejectedKeys.add(key);
			addRejection(policy, "would have rejected", key, decision, alone);
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

}
