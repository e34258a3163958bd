package io.github.ratelimit.resilience;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.resilience.StoreCallException.Blame;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * The states of one policy as the application sees them. They ask the remote store,
 * unless the answer is known, and leave the decision to the fallback while the store
 * cannot make it.
 */
final class ResilientStates implements RateLimitStates {

	private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

	private static final StoreCallException UNAVAILABLE = new StoreCallException("not told while it is unavailable",
			null, Blame.CALLER);

	private static final StoreCallException TOO_MANY = new StoreCallException(
			"not told while " + Settlements.MOST + " settlements are on their way", null, Blame.CALLER);

	private final LongAdder fallbacks;

	private final String store;

	private final RateLimitStates remote;

	private final RateLimitStates fallback;

	private final Function<String, Breaker> breakers;

	private final @Nullable RejectionCache rejections;

	private final @Nullable LastAnswers answers;

	private final Settlements settlements;

	private final RateLimitClock clock;

	private final @Nullable Versions versions;

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
	 * @param settlements those of all policies that are on their way to the store
	 * @param clock this process' time
	 */
	ResilientStates(String store, RateLimitStates remote, RateLimitStates fallback, Function<String, Breaker> breakers,
			@Nullable RejectionCache rejections, @Nullable LastAnswers answers, Settlements settlements,
			RateLimitClock clock) {
		this(store, remote, fallback, breakers, rejections, answers, settlements, clock, null, new LongAdder());
	}

	/**
	 * Creates the states of one of several versions of a policy.
	 * @param store what failures call the store
	 * @param remote the policy's states in the store
	 * @param fallback decides while the store cannot
	 * @param breakers finds the breaker of the server that has a key
	 * @param rejections remembers rejections, or {@code null} if the store must see each
	 * request
	 * @param answers remembers the store's last answers for the fallback, or {@code null}
	 * if that does not use them
	 * @param settlements those of all policies that are on their way to the store
	 * @param clock this process' time
	 * @param versions opens the others, or {@code null} if there are none
	 * @param fallbacks counts the decisions of all versions that the store could not make
	 */
	ResilientStates(String store, RateLimitStates remote, RateLimitStates fallback, Function<String, Breaker> breakers,
			@Nullable RejectionCache rejections, @Nullable LastAnswers answers, Settlements settlements,
			RateLimitClock clock, @Nullable Versions versions, LongAdder fallbacks) {
		this.versions = versions;
		this.fallbacks = fallbacks;
		this.store = store;
		this.remote = remote;
		this.fallback = fallback;
		this.breakers = breakers;
		this.rejections = rejections;
		this.answers = answers;
		this.settlements = settlements;
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

	/**
	 * Whether these are the same keys, perhaps under other limits.
	 */
	boolean hasKeysOf(ResilientStates other) {
		return this == other || this.versions != null && this.versions == other.versions;
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

	/**
	 * {@inheritDoc}
	 * <p>
	 * The store is not told while it is known to be unavailable.
	 */
	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		if (used == reserved) {
			return;
		}
		if (given.fallback()) {
			this.fallback.settle(key, reserved, used, given);
			return;
		}
		Breaker breaker = this.breakers.apply(key);
		if (!breaker.mayCall()) {
			throw UNAVAILABLE;
		}
		long now = this.clock.nanos();
		try {
			this.remote.settle(key, reserved, used, given);
			breaker.succeeded(used > reserved);
		}
		catch (StoreCallException ex) {
			breaker.failed(ex, now);
			throw ex;
		}
		finally {
			forgetRejection(key);
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The store is not told while it is known to be unavailable, nor while too many
	 * settlements are on their way to it.
	 */
	@Override
	public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
		if (used == reserved || given.fallback()) {
			settle(key, reserved, used, given);
			return DONE;
		}
		if (!this.settlements.begin()) {
			return CompletableFuture.failedStage(TOO_MANY);
		}
		Breaker breaker = this.breakers.apply(key);
		if (!breaker.mayCall()) {
			this.settlements.end();
			return CompletableFuture.failedStage(UNAVAILABLE);
		}
		long now = this.clock.nanos();
		return remoteSettlement(key, reserved, used, given).whenComplete((nothing, failure) -> {
			this.settlements.end();
			Throwable cause = (failure instanceof CompletionException wrapper) ? wrapper.getCause() : failure;
			if (cause instanceof StoreCallException ex) {
				breaker.failed(ex, now);
			}
			else if (cause == null) {
				breaker.succeeded(used > reserved);
			}
			forgetRejection(key);
		});
	}

	private CompletionStage<Void> remoteSettlement(String key, long reserved, long used, RateLimitDecision given) {
		try {
			return this.remote.settleAsync(key, reserved, used, given);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
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
	public @Nullable RateLimitStates under(RateLimitPolicy policy) {
		return (this.versions != null) ? this.versions.open(policy) : null;
	}

	@Override
	public long evictions() {
		return this.fallback.evictions();
	}

	@Override
	public boolean bans() {
		return this.remote.bans();
	}

	@Override
	public long fallbacks() {
		return this.fallbacks.sum();
	}

}
