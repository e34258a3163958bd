package io.github.ratelimit.redis;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * One policy's states as the application sees them: asks Redis, unless the answer is
 * known, and leaves the decision to the fallback when Redis cannot make it.
 */
final class ResilientStates implements RateLimitStates {

	private final LongAdder fallbacks = new LongAdder();

	private final String policy;

	private final RateLimitStates redis;

	private final RateLimitStates fallback;

	private final Function<String, Breaker> breakers;

	private final @Nullable RejectionCache rejections;

	private final @Nullable LastAnswers answers;

	private final RateLimitClock clock;

	/**
	 * Creates the states.
	 * @param policy the policy's name
	 * @param redis the states in Redis
	 * @param fallback decides when Redis cannot
	 * @param breakers knows whether the server that has a key can
	 * @param rejections remembers rejections, or {@code null} if each must be asked for
	 * @param answers remembers what Redis said for the fallback, or {@code null} if that
	 * makes no use of it
	 * @param clock this process' time
	 */
	ResilientStates(String policy, RateLimitStates redis, RateLimitStates fallback, Function<String, Breaker> breakers,
			@Nullable RejectionCache rejections, @Nullable LastAnswers answers, RateLimitClock clock) {
		this.policy = policy;
		this.redis = redis;
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
				RateLimitDecision decision = atOnce ? this.redis.decideAtOnce(key, permits)
						: this.redis.decide(key, permits);
				breaker.succeeded(permits > 0 && decision.allowed());
				remember(key, permits, atOnce, decision, now);
				return decision;
			}
			catch (RedisCallException ex) {
				breaker.failed(ex, now);
			}
		}
		return decideLocally(key, permits, atOnce);
	}

	/**
	 * What Redis would say, if that is known.
	 */
	@Nullable RateLimitDecision remembered(String key, long permits, long now) {
		return (this.rejections != null) ? this.rejections.find(key, permits, now) : null;
	}

	/**
	 * Knows whether the server that has a key can decide.
	 */
	Breaker breaker(String key) {
		return this.breakers.apply(key);
	}

	/**
	 * What is asked together with other policies'.
	 */
	RedisStates scripts() {
		return (RedisStates) this.redis;
	}

	RateLimitDecision lookLocally(String key) {
		return this.fallback.decide(key, 0);
	}

	/**
	 * Decides because Redis cannot.
	 */
	RateLimitDecision decideLocally(String key, long permits, boolean atOnce) {
		this.fallbacks.increment();
		breaker(key).decidedWithout();
		RateLimitDecision decision = atOnce ? this.fallback.decideAtOnce(key, permits)
				: this.fallback.decide(key, permits);
		return RateLimitDecisions.asFallback(decision);
	}

	/**
	 * Remembers what Redis has said, unless it is true only of those who cannot wait.
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
	 * What cannot be given back because Redis has gone meanwhile stays taken.
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
				this.redis.giveBack(key, permits, given);
				breaker.succeeded(false);
			}
			catch (RedisCallException ex) {
				breaker.failed(ex, now);
			}
		}
		forgetRejection(key);
	}

	/*
	 * Only now, because others may have been denied while Redis was being told.
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
			this.redis.reset(key);
		}
		catch (RedisCallException ex) {
			throw new IllegalStateException("The key was not reset, because Redis cannot be asked: " + ex.getMessage(),
					ex);
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
