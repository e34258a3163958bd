package io.github.ratelimit.remote;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;

/**
 * The states of one policy as the application sees them. They ask the remote store,
 * unless the answer is known, and leave the decision to the fallback while the store
 * cannot make it.
 */
final class ResilientStates implements PolicyDecider {

	private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

	private static final StoreCallException UNAVAILABLE = new StoreCallException("not told while it is unavailable",
			null, Blame.CALLER);

	private static final StoreCallException TOO_MANY = new StoreCallException(
			"not told while " + ResilientStore.MOST_SETTLEMENTS + " settlements are on their way", null, Blame.CALLER);

	private final ResilientStore.OpenedPolicy opened;

	private final ResilientStore store;

	private final PolicyDecider remote;

	private final PolicyDecider fallback;

	private final RememberedAnswers answers;

	/**
	 * Creates the states of one of the versions of a policy.
	 * @param opened what the versions share
	 * @param remote the policy's states in the store
	 * @param fallback decides while the store cannot
	 * @param answers what the store has said
	 */
	ResilientStates(ResilientStore.OpenedPolicy opened, PolicyDecider remote, PolicyDecider fallback,
			RememberedAnswers answers) {
		this.opened = opened;
		this.store = opened.store();
		this.remote = remote;
		this.fallback = fallback;
		this.answers = answers;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decide(key, permits, false);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		return decide(key, permits, true);
	}

	private RateLimitDecision decide(String key, long permits, boolean withoutDelay) {
		return Objects.requireNonNull(
				this.store.session().decide(List.of(new Question(this, key, permits, withoutDelay))).get(0));
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Nothing decides in the place of a store that cannot: a caller that does not wait
	 * for the answer does without.
	 */
	@Override
	public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
		long now = this.store.clock().nanos();
		RateLimitDecision known = remembered(key, permits, now);
		if (known != null) {
			return CompletableFuture.completedStage(known);
		}
		Breaker breaker = breaker(key);
		if (!breaker.mayCall()) {
			return CompletableFuture.failedStage(UNAVAILABLE);
		}
		return this.remote.decideAsync(key, permits).whenComplete((decision, failure) -> {
			if (decision != null) {
				breaker.succeeded(permits > 0 && decision.allowed());
				this.answers.remember(key, permits, false, decision, now);
			}
			else {
				failed(breaker, failure, now);
			}
		});
	}

	private static void failed(Breaker breaker, Throwable failure, long askedAt) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		if (cause instanceof StoreCallException ex) {
			breaker.failed(ex, askedAt);
		}
	}

	/**
	 * A rejection that the store would repeat, if one is known.
	 */
	@Nullable RateLimitDecision remembered(String key, long permits, long now) {
		return this.answers.find(key, permits, now);
	}

	/**
	 * The breaker of the server that has a key.
	 */
	Breaker breaker(String key) {
		return this.opened.breaker(key);
	}

	/**
	 * The policy's states in the store.
	 */
	PolicyDecider remote() {
		return this.remote;
	}

	/**
	 * Whether these are the same keys, perhaps under other limits.
	 */
	boolean hasKeysOf(ResilientStates other) {
		return this.opened == other.opened;
	}

	RateLimitDecision lookLocally(String key) {
		return this.fallback.decide(key, 0);
	}

	/**
	 * Decides because the store cannot.
	 */
	RateLimitDecision decideLocally(String key, long permits, boolean withoutDelay) {
		this.opened.fallbacks().increment();
		breaker(key).decidedWithout();
		RateLimitDecision decision = withoutDelay ? this.fallback.decideWithoutDelay(key, permits)
				: this.fallback.decide(key, permits);
		return RateLimitDecisions.asFallback(decision);
	}

	void remember(Question asked, RateLimitDecision decision, long askedAt) {
		this.answers.remember(asked.key(), asked.permits(), asked.withoutDelay(), decision, askedAt);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Permits that cannot be refunded because the store is unavailable stay taken.
	 */
	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		this.store.session().refund(List.of(new Given(this, key, permits, given)));
	}

	void refundLocally(String key, long permits, RateLimitDecision given) {
		this.fallback.refund(key, permits, given);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The store is not told while it is known to be unavailable.
	 */
	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		try {
			settleAsync(key, reserved, used, given).toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof StoreCallException failure) ? failure : ex;
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
		if (used == reserved) {
			return DONE;
		}
		if (given.fallback()) {
			this.fallback.settle(key, reserved, used, given);
			return DONE;
		}
		if (!this.store.settlements().tryAcquire()) {
			return CompletableFuture.failedStage(TOO_MANY);
		}
		Breaker breaker = breaker(key);
		if (!breaker.mayCall()) {
			this.store.settlements().release();
			return CompletableFuture.failedStage(UNAVAILABLE);
		}
		long now = this.store.clock().nanos();
		return remoteSettlement(key, reserved, used, given).whenComplete((nothing, failure) -> {
			this.store.settlements().release();
			if (failure != null) {
				failed(breaker, failure, now);
			}
			else {
				breaker.succeeded(used > reserved);
			}
			forgetRejection(key);
		});
	}

	private CompletionStage<Void> remoteSettlement(String key, long reserved, long used, RateLimitDecision given) {
		try {
			return this.remote.settleAsync(key, reserved, used, given);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	/*
	 * Only now, because other requests may have been rejected until the store knew.
	 */
	void forgetRejection(String key) {
		this.answers.forgetRejection(key, this.store.clock().nanos());
	}

	@Override
	public void reset(String key) {
		this.fallback.reset(key);
		try {
			this.remote.reset(key);
		}
		catch (StoreCallException ex) {
			throw new IllegalStateException("The key was not reset, because " + this.store.displayName()
					+ " cannot be asked: " + ex.getMessage(), ex);
		}
		finally {
			this.answers.forgetLast(key);
			forgetRejection(key);
		}
	}

	@Override
	public @Nullable PolicyDecider under(RateLimitPolicy policy) {
		return this.opened.under(policy);
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
		return this.opened.fallbacks().sum();
	}

}
