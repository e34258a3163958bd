package io.github.ratelimit.resilience;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * The states of one policy as the application sees them. They ask the remote store,
 * unless the answer is known, and leave the decision to the fallback while the store
 * cannot make it.
 */
final class ResilientStates implements RateLimitStates {

	private final LongAdder fallbacks = new LongAdder();

	private final String store;

	private final RateLimitStates remote;

	private final RateLimitStates fallback;

	private final Function<String, Breaker> breakers;

	private final @Nullable RejectionCache rejections;

	private final @Nullable LastAnswers answers;

	private final RateLimitClock clock;

	/**
	 * Creates the states.
	 * @param store what failures call the store
	 * @param remote the policy's states in the store
	 * @param fallback decides while the store cannot
	 * @param breakers finds the breaker of the server that has a key
	 * @param rejections remembers rejections, or {@code null} if the store must see each
	 * request
	 * @param answers remembers the store's last answers for the fallback, or {@code null}
	 * if that does not use them
	 * @param clock this process' time
	 */
	ResilientStates(String store, RateLimitStates remote, RateLimitStates fallback, Function<String, Breaker> breakers,
			@Nullable RejectionCache rejections, @Nullable LastAnswers answers, RateLimitClock clock) {
		this.store = store;
		this.remote = remote;
		this.fallback = fallback;
		this.breakers = breakers;
		this.rejections = rejections;
		this.answers = answers;
		this.clock = clock;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decide(key, permits, false);
	}

	@Override
	public RateLimitDecision decideAtOnce(String key, long permits) {
		return decide(key, permits, true);
	}

	private RateLimitDecision decide(String key, long permits, boolean atOnce) {
		long now = this.clock.nanos();
		RateLimitDecision known = remembered(key, permits, now);
		if (known != null) {
			return known;
		}
		Breaker breaker = this.breakers.apply(key);
		if (breaker.mayCall()) {
			try {
				RateLimitDecision decision = atOnce ? this.remote.decideAtOnce(key, permits)
						: this.remote.decide(key, permits);
				breaker.succeeded(permits > 0 && decision.allowed());
				remember(key, permits, atOnce, decision, now);
				return decision;
			}
			catch (StoreCallException ex) {
				breaker.failed(ex, now);
			}
		}
		return decideLocally(key, permits, atOnce);
	}

	/**
	 * A rejection that the store would repeat, if one is known.
	 */
	@Nullable RateLimitDecision remembered(String key, long permits, long now) {
		return (this.rejections != null) ? this.rejections.find(key, permits, now) : null;
	}

	/**
	 * The breaker of the server that has a key.
	 */
	Breaker breaker(String key) {
		return this.breakers.apply(key);
	}

	/**
	 * The policy's states in the store.
	 */
	RateLimitStates remote() {
		return this.remote;
	}

	RateLimitDecision lookLocally(String key) {
		return this.fallback.decide(key, 0);
	}

	/**
	 * Decides because the store cannot.
	 */
	RateLimitDecision decideLocally(String key, long permits, boolean atOnce) {
		this.fallbacks.increment();
		breaker(key).decidedWithout();
		RateLimitDecision decision = atOnce ? this.fallback.decideAtOnce(key, permits)
				: this.fallback.decide(key, permits);
		return RateLimitDecisions.asFallback(decision);
	}

	/**
	 * Remembers an answer of the store, unless it holds only for requests that cannot
	 * wait.
	 */
	void remember(String key, long permits, boolean atOnce, RateLimitDecision decision, long askedAt) {
		if (atOnce && (permits == 0 || decision.queueFull())) {
			return;
		}
		if (this.answers != null) {
			this.answers.remember(key, decision);
		}
		if (this.rejections != null && permits > 0) {
			this.rejections.remember(key, permits, decision, askedAt);
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Permits that cannot be given back because the store is unavailable stay taken.
	 */
	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
		if (given.fallback()) {
			this.fallback.giveBack(key, permits, given);
			return;
		}
		Breaker breaker = this.breakers.apply(key);
		if (breaker.mayCall()) {
			long now = this.clock.nanos();
			try {
				this.remote.giveBack(key, permits, given);
				breaker.succeeded(false);
			}
			catch (StoreCallException ex) {
				breaker.failed(ex, now);
			}
		}
		forgetRejection(key);
	}

	/*
	 * Only now, because other requests may have been rejected until the store knew.
	 */
	void forgetRejection(String key) {
		if (this.rejections != null) {
			this.rejections.forget(key, this.clock.nanos());
		}
	}

	@Override
	public void reset(String key) {
		this.fallback.reset(key);
		try {
			this.remote.reset(key);
		}
		catch (StoreCallException ex) {
			throw new IllegalStateException(
					"The key was not reset, because " + this.store + " cannot be asked: " + ex.getMessage(), ex);
		}
		finally {
			if (this.answers != null) {
				this.answers.forget(key);
			}
			forgetRejection(key);
		}
	}

	@Override
	public long evictions() {
		return this.fallback.evictions();
	}

	@Override
	public long fallbacks() {
		return this.fallbacks.sum();
	}

}
