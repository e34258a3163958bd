package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitIntervention.Kind;
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
 * Counts what becomes of the requests of one limiter, logs it and notifies the listeners.
 */
final class DecisionReports {

	/**
	 * Keeps whoever has a list of all addresses from finding out whose a hash of a key
	 * is. It is made when the application starts: where random numbers come from a file,
	 * an event loop must not wait for them.
	 */
	static final String SALT = UUID.randomUUID().toString();

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	final OutcomeCounts outcomes = new OutcomeCounts();

	/** Whether requests that pass as they are are reported, too. */
	final boolean followed;

	/* Of requests that were decided on while the policy informed, once it does. */
	private volatile @Nullable OutcomeCounts informed;

	/* Of requests of keys that are exempt or denied by hand, once some are. */
	private volatile Map<Kind, OutcomeCounts> intervened = Map.of();

	final OutcomeCounts settlements = new OutcomeCounts();

	final AtomicLongArray failures = new AtomicLongArray(RateLimitExpression.values().length);

	/* What is decided in shadow, under whichever numbers, once something is. */
	private volatile @Nullable ShadowCounts shadow;

	/* The classes of listeners whose failure was logged. */
	private final Set<Class<?>> failed = ConcurrentHashMap.newKeySet();

	private final RateLimitListener[] listeners;

	final @Nullable RequestObserver observer;

	/* Who is rejected, once somebody wants to know. */
	private volatile @Nullable RejectedKeys rejectedKeys;

	/** Those that are given the wait of each delayed request, by what records it. */
	final Map<Object, Consumer<Duration>> delays = new ConcurrentHashMap<>();

	private final RateLimitClock clock;

	private final LogBudget bans;

	/**
	 * What notices that a key crosses a share of a limit, if the policy warns of some.
	 */
	final @Nullable ThresholdReports thresholds;

	DecisionReports(List<RateLimitListener> listeners, @Nullable RequestObserver observer, RateLimitClock clock,
			@Nullable ThresholdReports thresholds) {
		this.observer = observer;
		this.thresholds = thresholds;
		this.clock = clock;
		this.bans = new LogBudget(clock::nanos);
		this.listeners = listeners.toArray(new RateLimitListener[0]);
		this.followed = observer != null || !listeners.isEmpty() || thresholds != null;
	}

	/**
	 * Reports what became of a request, which is counted already.
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
			case EXCEEDED -> addRejection(policy, "let pass, in the mode inform,", key, decision, true);
			case ALLOWED, RETURNED -> {
			}
		}
		if (this.thresholds != null) {
			this.thresholds.add(policy, key, permits, decision, outcome);
		}

		notifyListeners(policy, key, decision, outcome);
	}

	private void addRejection(RateLimitPolicy policy, String verb, String key, RateLimitDecision decision,
			boolean counted) {
		RejectionLog.add(policy, verb, key, decision);
		RejectedKeys rejectedKeys = this.rejectedKeys;
		if (rejectedKeys != null && counted) {
			rejectedKeys.add(key, decidedAtNanos(decision));
		}
	}

	/**
	 * The keys that were rejected.
	 * @return the keys, or {@code null} if they are not counted
	 */
	@Nullable RejectedKeys rejectedKeys() {
		return this.rejectedKeys;
	}

	/**
	 * Counts from now on which keys are rejected.
	 */
	synchronized void countRejectedKeys() {
		if (this.rejectedKeys == null) {
			this.rejectedKeys = new RejectedKeys(this.clock);
		}
	}

	void addNewBan(RateLimitPolicy policy, String key, RateLimitDecision decision) {
		if (decision.newBan() > 0) {
			RejectionLog.addBan(policy, key, decision, this.bans);
			Instant until = endOfBan(decision);
			for (RateLimitListener listener : this.listeners) {
				try {
					listener.onBan(policy, key, until, decision.newBan());
				}
				catch (Exception | LinkageError | AssertionError ex) {
					warnOnce(listener, policy, ex);
				}
			}
		}
	}

	/**
	 * How many requests had an outcome while the policy informed.
	 */
	long informed(RateLimitOutcome outcome) {
		OutcomeCounts informed = this.informed;
		if (informed == null) {
			return 0;
		}
		return informed.sum(outcome);
	}

	/**
	 * Counts from now on what is decided while the policy informs.
	 */
	synchronized OutcomeCounts countInformed() {
		OutcomeCounts informed = this.informed;
		if (informed == null) {
			informed = new OutcomeCounts();
			this.informed = informed;
		}
		return informed;
	}

	/**
	 * How many requests were decided on as an operator has decided, in place of limits.
	 */
	long intervened(Kind kind) {
		OutcomeCounts intervened = this.intervened.get(kind);
		if (intervened == null) {
			return 0;
		}
		return intervened.sum(RateLimitOutcome.ALLOWED) + intervened.sum(RateLimitOutcome.REJECTED);
	}

	/**
	 * Counts from now on what is decided so.
	 */
	synchronized OutcomeCounts countIntervened(Kind kind) {
		OutcomeCounts counts = this.intervened.get(kind);
		if (counts == null) {
			counts = new OutcomeCounts();
			Map<Kind, OutcomeCounts> intervened = new EnumMap<>(Kind.class);
			intervened.putAll(this.intervened);
			intervened.put(kind, counts);
			this.intervened = intervened;
		}
		return counts;
	}

	/**
	 * What is decided in shadow.
	 * @return the counts, or {@code null} if nothing was decided in shadow yet
	 */
	@Nullable ShadowCounts shadow() {
		return this.shadow;
	}

	/**
	 * Counts what is decided in shadow from now on.
	 * @param policy the policy with the numbers that are tried, which are shown if no
	 * others are
	 */
	synchronized void countShadow(RateLimitPolicy policy) {
		if (this.shadow == null) {
			this.shadow = new ShadowCounts(policy);
		}
	}

	/**
	 * Counts what is decided in shadow from now on, and shows with which numbers.
	 * @param policy the policy with the numbers that are tried
	 */
	synchronized void showShadow(RateLimitPolicy policy) {
		if (this.shadow == null) {
			this.shadow = new ShadowCounts(policy);
		}
		else {
			this.shadow.show(policy);
		}
	}

	/**
	 * Counts and reports what would have become of a request.
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
		notifyListeners(policy, key, decision, outcome);
	}

	/*
	 * A request that a listener made fail would have taken permits for nothing.
	 */
	private void notifyListeners(RateLimitPolicy policy, String key, RateLimitDecision decision,
			RateLimitOutcome outcome) {
		for (RateLimitListener listener : this.listeners) {
			try {
				listener.onDecision(policy, key, decision, outcome);
			}
			catch (Exception | LinkageError | AssertionError ex) {
				warnOnce(listener, policy, ex);
			}
		}
	}

	private void warnOnce(RateLimitListener listener, RateLimitPolicy policy, Throwable failure) {
		if (this.failed.add(listener.getClass())) {
			logger.warn("The RateLimitListener " + listener.getClass().getName()
					+ " failed when it was told what the rate limit policy '" + policy.name()
					+ "' has decided. The request goes on, and this is logged once", failure);
		}
	}

	private Instant endOfBan(RateLimitDecision decision) {
		return Instant.EPOCH.plusNanos(decidedAtNanos(decision) + decision.retryAfterNanos());
	}

	/*
	 * The store's clock is read, if the decision has its time.
	 */
	private long decidedAtNanos(RateLimitDecision decision) {
		if (decision instanceof RateLimitReceipt receipt) {
			return receipt.decidedAtNanos(0);
		}
		return this.clock.nanos();
	}

}
