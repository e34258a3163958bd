package io.github.ratelimit.resilience;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * The states of a policy that decides in shadow. They ask the remote store, unless the
 * answer is known, and do nothing while the store cannot decide: nobody waits for them,
 * and nothing decides in the store's place.
 */
final class ShadowStates implements RateLimitStates {

	private final RateLimitStates remote;

	private final RateLimitStates nothing;

	private final Function<String, Breaker> breakers;

	private final @Nullable RejectionCache rejections;

	private final RateLimitClock clock;

	private final Versions versions;

	/**
	 * Creates the states.
	 * @param remote the policy's states in the store
	 * @param nothing says what a look finds while the store cannot be asked
	 * @param breakers finds the breaker of the server that has a key
	 * @param rejections remembers rejections, or {@code null} if the store must see each
	 * request
	 * @param clock this process' time
	 * @param versions opens the others
	 */
	ShadowStates(RateLimitStates remote, RateLimitStates nothing, Function<String, Breaker> breakers,
			@Nullable RejectionCache rejections, RateLimitClock clock, Versions versions) {
		this.versions = versions;
		this.remote = remote;
		this.nothing = nothing;
		this.breakers = breakers;
		this.rejections = rejections;
		this.clock = clock;
	}

	@Override
	public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
		long now = this.clock.nanos();
		RateLimitDecision known = (this.rejections != null) ? this.rejections.find(key, permits, now) : null;
		if (known != null) {
			return CompletableFuture.completedStage(known);
		}
		Breaker breaker = this.breakers.apply(key);
		if (!breaker.mayCall()) {
			return CompletableFuture.failedStage(unavailable());
		}
		return this.remote.decideAsync(key, permits)
			.whenComplete((decision, failure) -> answered(key, permits, decision, failure, breaker, now));
	}

	private static StoreCallException unavailable() {
		return new StoreCallException("the store is unavailable", null, StoreCallException.Blame.CALLER);
	}

	private void answered(String key, long permits, @Nullable RateLimitDecision decision, @Nullable Throwable failure,
			Breaker breaker, long askedAt) {
		if (failure != null) {
			failed(failure, breaker, askedAt);
		}
		if (decision != null) {
			breaker.succeeded(permits > 0 && decision.allowed());
			if (this.rejections != null) {
				this.rejections.remember(key, permits, decision, askedAt);
			}
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * While the store cannot be asked, the key has all of its permits.
	 */
	@Override
	public RateLimitDecision decide(String key, long permits) {
		Breaker breaker = this.breakers.apply(key);
		if (breaker.mayCall()) {
			long now = this.clock.nanos();
			try {
				RateLimitDecision decision = this.remote.decide(key, permits);
				breaker.succeeded(permits > 0 && decision.allowed());
				return decision;
			}
			catch (StoreCallException ex) {
				breaker.failed(ex, now);
			}
		}
		return RateLimitDecisions.asFallback(this.nothing.decide(key, permits));
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Permits that cannot be given back because the store is unavailable stay taken.
	 */
	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
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
	 * A settlement that the store cannot make is lost.
	 */
	@Override
	public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
		Breaker breaker = this.breakers.apply(key);
		if (used == reserved || !breaker.mayCall()) {
			return CompletableFuture.completedStage(null);
		}
		long now = this.clock.nanos();
		CompletionStage<Void> settled = (used < reserved) ? this.remote.giveBackAsync(key, reserved - used, given)
				: this.remote.settleAsync(key, reserved, used, given);
		return settled.whenComplete((nothing, failure) -> {
			if (failure != null) {
				failed(failure, breaker, now);
			}
			else {
				breaker.succeeded(used > reserved);
			}
			forgetRejection(key);
		});
	}

	private static void failed(Throwable failure, Breaker breaker, long askedAt) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		if (cause instanceof StoreCallException ex) {
			breaker.failed(ex, askedAt);
		}
	}

	private void forgetRejection(String key) {
		if (this.rejections != null) {
			this.rejections.forget(key, this.clock.nanos());
		}
	}

	@Override
	public @Nullable RateLimitStates under(RateLimitPolicy policy) {
		return this.versions.open(policy);
	}

	@Override
	public void reset(String key) {
		try {
			this.remote.reset(key);
		}
		catch (StoreCallException ex) {
			throw new IllegalStateException(
					"The key was not reset, because its store cannot be asked: " + ex.getMessage(), ex);
		}
		finally {
			forgetRejection(key);
		}
	}

}
