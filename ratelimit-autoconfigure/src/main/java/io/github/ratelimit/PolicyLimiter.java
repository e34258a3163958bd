package io.github.ratelimit;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Enforces one policy: asks the store, counts the outcome and tells the listeners.
 */
public final class PolicyLimiter {

	private final RateLimitPolicy policy;

	private final RateLimitStates states;

	private final @Nullable Supplier<RateLimitSession> sessions;

	private final long longestDelayNanos;

	private final RateLimitListener[] listeners;

	private final LongAdder[] counts = new LongAdder[RateLimitOutcome.values().length];

	private final LongAdder[] failures = new LongAdder[RateLimitExpression.values().length];

	private final Collection<String> appliedTo = new ConcurrentSkipListSet<>();

	PolicyLimiter(RateLimitPolicy policy, RateLimitStates states, @Nullable Supplier<RateLimitSession> sessions,
			List<RateLimitListener> listeners) {
		this.policy = policy;
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
	 * The policy that is enforced.
	 * @return the policy
	 */
	public RateLimitPolicy policy() {
		return this.policy;
	}

	/**
	 * Decides on a request.
	 * @param key who asks
	 * @param permits how many permits the request costs, from 0; 0 is a look, which
	 * neither takes nor counts
	 * @return the decision; one that allows may ask for a delay, which is the caller's to
	 * wait
	 * @throws IllegalArgumentException if the permits are negative
	 */
	public RateLimitDecision decide(String key, long permits) {
		check(permits);
		RateLimitDecision decision = this.states.decide(key, permits);
		if (permits > 0) {
			report(key, decision, RateLimitOutcome.of(decision));
		}
		return decision;
	}

	/**
	 * Decides on a request that cannot wait.
	 * @param key who asks
	 * @param permits how many permits the request costs, from 0; 0 is a look, which
	 * neither takes nor counts
	 * @return the decision, without a delay
	 * @throws IllegalArgumentException if the permits are negative
	 */
	public RateLimitDecision decideAtOnce(String key, long permits) {
		check(permits);
		RateLimitDecision decision = this.states.decideAtOnce(key, permits);
		if (permits > 0) {
			report(key, decision, RateLimitOutcome.of(decision));
		}
		return decision;
	}

	/**
	 * Opens what several policies of the store are asked with.
	 * @return {@code null} if each is asked by itself
	 */
	@Nullable Supplier<RateLimitSession> sessions() {
		return this.sessions;
	}

	RateLimitSession.Question question(String key, long permits, boolean atOnce) {
		check(permits);
		return new RateLimitSession.Question(this.states, key, permits, atOnce);
	}

	RateLimitSession.Given given(String key, long permits, RateLimitDecision decision) {
		return new RateLimitSession.Given(this.states, key, permits, decision);
	}

	private static void check(long permits) {
		if (permits < 0) {
			throw new IllegalArgumentException("A request cannot cost " + permits + " permits; use 0 or more");
		}
	}

	/**
	 * The longest that an allowed request may have to wait.
	 * @return nanoseconds, 0 if nobody waits
	 */
	public long longestDelayNanos() {
		return this.longestDelayNanos;
	}

	/**
	 * Gives back what a request was given and did not use.
	 * @param key who asked
	 * @param permits how many permits the request cost
	 * @param given the decision that allowed it
	 */
	public void giveBack(String key, long permits, RateLimitDecision given) {
		this.states.giveBack(key, permits, given);
		if (permits > 0) {
			report(key, given, RateLimitOutcome.RETURNED);
		}
	}

	/**
	 * Makes a key as good as new.
	 * @param key the key to forget
	 */
	public void reset(String key) {
		this.states.reset(key);
	}

	/**
	 * How many requests had an outcome.
	 * @param outcome the outcome to count
	 * @return the number since the start
	 */
	public long count(RateLimitOutcome outcome) {
		return this.counts[outcome.ordinal()].sum();
	}

	/**
	 * How many keys have a state.
	 * @return the number, or -1 if the store cannot tell
	 */
	public long keys() {
		return this.states.keys();
	}

	/**
	 * How many states were dropped for want of room while they still counted.
	 * @return the number since the start
	 */
	public long evictions() {
		return this.states.evictions();
	}

	/**
	 * How many decisions were left to something else, because the store could not make
	 * them.
	 * @return the number since the start
	 */
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

	/**
	 * How many requests had a key, cost or condition that could not be computed.
	 * @param expression which of them
	 * @return the number since the start
	 */
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
	 * Where the policy is applied.
	 * @return the rules and methods, sorted; empty if nothing uses the policy
	 */
	public Collection<String> appliedTo() {
		return Collections.unmodifiableCollection(this.appliedTo);
	}

	void report(String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.counts[outcome.ordinal()].increment();
		for (RateLimitListener listener : this.listeners) {
			listener.onDecision(this.policy, key, decision, outcome);
		}
	}

}
