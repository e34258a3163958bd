package io.github.ratelimit.enforce;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Enforces one policy: it asks the store, counts the outcome and tells the listeners.
 *
 * @since 0.1.0
 */
public final class StoreRateLimiter implements RateLimiter {

	private final RateLimitPolicy policy;

	private final String alias;

	private final RateLimitStates states;

	/* Opens what several policies of the store are asked with, if it can be. */
	final @Nullable Supplier<RateLimitSession> sessions;

	/* The longest that an allowed request may have to wait. */
	final long longestDelayNanos;

	private final RateLimitListener[] listeners;

	private final LongAdder[] counts = new LongAdder[RateLimitOutcome.values().length];

	private final LongAdder[] failures = new LongAdder[RateLimitExpression.values().length];

	private volatile boolean ownKeys;

	private final Collection<String> appliedTo = new ConcurrentSkipListSet<>();

	StoreRateLimiter(RateLimitPolicy policy, String alias, RateLimitStates states,
			@Nullable Supplier<RateLimitSession> sessions, List<RateLimitListener> listeners) {
		this.policy = policy;
		this.alias = alias;
		this.states = states;
		this.sessions = sessions;
		this.longestDelayNanos = policy.longestDelay().toNanos();
		this.listeners = listeners.toArray(RateLimitListener[]::new);
		for (int i = 0; i < this.counts.length; i++) {
			this.counts[i] = new LongAdder();
		}
		for (int i = 0; i < this.failures.length; i++) {
			this.failures[i] = new LongAdder();
		}
	}

	/**
	 * Makes any limiter one that can be enforced.
	 * @param limiter the limiter
	 * @return the same, unless it is of another implementation
	 */
	public static StoreRateLimiter of(RateLimiter limiter) {
		Assert.state(limiter != null, "The RateLimiterRegistry has no limiter for a policy that is applied. "
				+ "If a test mocks it, set ratelimit.enabled to false there.");
		return (limiter instanceof StoreRateLimiter store) ? store
				: new StoreRateLimiter(limiter.policy(), alias(0), new ForeignStates(limiter), null, List.of());
	}

	@Override
	public RateLimitPolicy policy() {
		return this.policy;
	}

	/**
	 * What clients call the policy where they are not to know its name.
	 * @return {@code p1} for the policy that was defined first, and so on
	 */
	public String alias() {
		return this.alias;
	}

	static String alias(int number) {
		return "p" + number;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		requireSome(permits);
		return decide(key, permits, false);
	}

	@Override
	public RateLimitDecision decideAtOnce(String key, long permits) {
		requireSome(permits);
		return decide(key, permits, true);
	}

	@Override
	public RateLimitStanding peek(String key) {
		return Standing.of(look(key));
	}

	RateLimitDecision look(String key) {
		return this.states.decide(key, 0);
	}

	RateLimitDecision decide(String key, long permits, boolean atOnce) {
		requireNotNegative(permits);
		RateLimitDecision decision = atOnce ? this.states.decideAtOnce(key, permits) : this.states.decide(key, permits);
		if (permits > 0) {
			report(key, decision, RateLimitOutcome.of(decision));
		}
		return decision;
	}

	RateLimitSession.Question question(String key, long permits, boolean atOnce) {
		requireNotNegative(permits);
		return new RateLimitSession.Question(this.states, key, permits, atOnce);
	}

	RateLimitSession.Given given(String key, long permits, RateLimitDecision decision) {
		return new RateLimitSession.Given(this.states, key, permits, decision);
	}

	private static void requireSome(long permits) {
		if (permits == 0) {
			throw new IllegalArgumentException(
					"A request cannot cost 0 permits; use peek to see what a key has left without taking any");
		}
	}

	private static void requireNotNegative(long permits) {
		if (permits < 0) {
			throw new IllegalArgumentException("A request cannot cost " + permits + " permits; use 1 or more");
		}
	}

	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
		this.states.giveBack(key, permits, given);
		if (permits > 0) {
			report(key, given, RateLimitOutcome.RETURNED);
		}
	}

	@Override
	public void reset(String key) {
		this.states.reset(key);
	}

	@Override
	public long count(RateLimitOutcome outcome) {
		return this.counts[outcome.ordinal()].sum();
	}

	@Override
	public long keys() {
		return this.states.keys();
	}

	@Override
	public long evictions() {
		return this.states.evictions();
	}

	@Override
	public long fallbacks() {
		return this.states.fallbacks();
	}

	/**
	 * Counts a request whose key, cost or condition could not be computed.
	 * @param expression which of them
	 */
	public void countFailure(RateLimitExpression expression) {
		this.failures[expression.ordinal()].increment();
	}

	@Override
	public long failures(RateLimitExpression expression) {
		return this.failures[expression.ordinal()].sum();
	}

	/**
	 * Notes a place that the policy is applied to, for people to see.
	 * @param place a rule or a method, in a few words
	 */
	public void addAppliedTo(String place) {
		this.appliedTo.add(place);
	}

	/**
	 * Notes that a place has a key of its own in place of the policy's.
	 */
	void addOwnKey() {
		this.ownKeys = true;
	}

	/**
	 * Whether a place that the policy is applied to has a key of its own.
	 * @return {@code false} if all keys are those of the policy's expression
	 */
	public boolean hasOwnKeys() {
		return this.ownKeys;
	}

	@Override
	public Collection<String> appliedTo() {
		return Collections.unmodifiableCollection(this.appliedTo);
	}

	/*
	 * Each place that applies a limiter of another implementation has its own wrapper.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || other instanceof StoreRateLimiter limiter
				&& this.states instanceof ForeignStates foreign && foreign.equals(limiter.states);
	}

	@Override
	public int hashCode() {
		return (this.states instanceof ForeignStates foreign) ? foreign.hashCode() : System.identityHashCode(this);
	}

	void report(String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.counts[outcome.ordinal()].increment();
		if (!decision.allowed() && outcome != RateLimitOutcome.RETURNED) {
			RejectionLog.add(this.policy.name(), key, decision);
		}
		for (RateLimitListener listener : this.listeners) {
			listener.onDecision(this.policy, key, decision, outcome);
		}
	}

}
