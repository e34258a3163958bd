package io.github.ratelimit.remote;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;

/**
 * The states of one policy as the application sees them. They ask the remote store,
 * unless the answer is known, and leave the decision to the fallback while the store
 * cannot make it.
 */
final class ResilientStates implements PolicyDecider {

	private static final StoreCallException UNAVAILABLE = new StoreCallException("not told while it is unavailable",
			null, Blame.CALLER);

	private final ResilientStore store;

	final Versions versions;

	final RemoteStore.States remote;

	final PolicyDecider fallback;

	final RememberedAnswers answers;

	/**
	 * Creates the states of one of the versions of a policy.
	 * @param store the store that has the policy
	 * @param versions what the versions share
	 * @param policy the policy in this version
	 * @param remote the policy's states in the store
	 */
	ResilientStates(ResilientStore store, Versions versions, RateLimitPolicy policy, RemoteStore.States remote) {
		this.store = store;
		this.versions = versions;
		this.remote = remote;
		FailureMode mode = (policy.mode() == RateLimitMode.SHADOW) ? FailureMode.ALLOW
				: store.failureModes.apply(policy);
		this.answers = new RememberedAnswers(policy, versions.known(), store.settings.rejectionMemory(),
				mode == FailureMode.LOCAL);
		this.fallback = switch (mode) {
			case LOCAL -> new LocalShare(policy, versions.parts(), this.answers, store.settings, store.clock);
			case ALLOW -> new Stateless(() -> RateLimitDecisions.combined(policy.limits()
				.stream()
				.map((limit) -> RateLimitDecisions.allowed(store.clock.nanos(), limit.capacity(), 0, 0, 0))
				.toArray(RateLimitDecision[]::new)));
			case REJECT -> new Stateless(() -> RateLimitDecisions.unavailable(store.clock.nanos(),
					store.settings.retryInterval().toNanos()));
		};
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
		long now = this.store.clock.nanos();
		RateLimitDecision known = this.answers.find(key, permits, now);
		if (known != null) {
			return CompletableFuture.completedStage(known);
		}
		return ask(key, this.remote.decide(key, permits, false), (decision) -> {
			this.answers.remember(key, permits, false, decision, now);
			return permits > 0 && decision.allowed();
		});
	}

	/*
	 * Asks the store, unless it is known to be unavailable, and reports whether it has
	 * answered, and written.
	 */
	private <T> CompletionStage<T> ask(String key, RemoteStore.Call<T> call, Predicate<T> wrote) {
		Breaker breaker = breaker(key);
		if (!breaker.mayCall()) {
			return CompletableFuture.failedStage(UNAVAILABLE);
		}
		long askedAt = this.store.clock.nanos();
		return call.post().whenComplete((said, failure) -> {
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			if (cause == null) {
				breaker.succeeded(wrote.test(said));
			}
			else if (cause instanceof StoreCallException ex) {
				breaker.failed(ex, askedAt);
			}
		});
	}

	/**
	 * The breaker of the server that has a key.
	 */
	Breaker breaker(String key) {
		return this.store.breakers.of(this.store.remote.hasSeveralServers() ? this.remote.server(key) : "");
	}

	/**
	 * Decides because the store cannot.
	 */
	RateLimitDecision decideLocally(String key, long permits, boolean withoutDelay) {
		this.versions.fallbacks().increment();
		breaker(key).decidedWithout();
		RateLimitDecision decision = withoutDelay ? this.fallback.decideWithoutDelay(key, permits)
				: this.fallback.decide(key, permits);
		return RateLimitDecisions.asFallback(decision);
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
	 * The store is not told while it is known to be unavailable.
	 */
	@Override
	public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
		if (given.fallback()) {
			this.fallback.settle(key, reserved, used, given);
		}
		if (given.fallback() || used == reserved) {
			return CompletableFuture.completedStage(null);
		}
		RemoteStore.Call<Void> call = (used < reserved) ? this.remote.refund(key, reserved - used, given)
				: this.remote.charge(key, used - reserved);
		return ask(key, call, (nothing) -> used > reserved).whenComplete((nothing, failure) -> forgetRejection(key));
	}

	/*
	 * Only now, because other requests may have been rejected until the store knew.
	 */
	void forgetRejection(String key) {
		this.answers.forgetRejection(key, this.store.clock.nanos());
	}

	@Override
	public void reset(String key) {
		this.fallback.reset(key);
		try {
			this.remote.reset(key).start(Deadline.after(this.store.settings.timeout())).get();
		}
		catch (StoreCallException ex) {
			throw new IllegalStateException("The key was not reset, because " + this.store.remote.displayName()
					+ " cannot be asked: " + ex.getMessage(), ex);
		}
		finally {
			this.answers.forgetLast(key);
			forgetRejection(key);
		}
	}

	@Override
	public PolicyDecider under(RateLimitPolicy policy) {
		return new ResilientStates(this.store, this.versions, policy, this.remote.under(policy));
	}

	@Override
	public long evictions() {
		return this.fallback.evictions();
	}

	@Override
	public boolean bans() {
		return true;
	}

	@Override
	public long fallbacks() {
		return this.versions.fallbacks().sum();
	}

	/**
	 * What the versions of one policy share: the same keys under other limits, or in
	 * another mode.
	 *
	 * @param known what is remembered of the keys, because there may be many
	 * @param parts what each limit counts in this process
	 * @param fallbacks counts decisions that the store could not make
	 */
	record Versions(KeyMemory<RememberedAnswers.Known> known, LocalShare.LocalParts parts, LongAdder fallbacks) {
	}

	/**
	 * Decides without any state in place of a store that cannot.
	 */
	private record Stateless(Supplier<RateLimitDecision> decision) implements PolicyDecider {

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return this.decision.get();
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
		}

		@Override
		public void reset(String key) {
		}

	}

}
