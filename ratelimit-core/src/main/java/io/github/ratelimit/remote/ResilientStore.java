package io.github.ratelimit.remote;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a store that is reached over a network. Requests do not queue up behind a server
 * that does not answer: while it cannot decide, each policy's failure mode does.
 * Rejections are remembered, so that a key that keeps asking hardly costs the store
 * anything.
 *
 * @since 0.1.0
 */
public final class ResilientStore implements RateLimitStore, AutoCloseable {

	/* Requests wait in real time, whatever the application's clock says. */
	private static final RateLimitClock REAL_TIME = RateLimitClock.system();

	private final RemoteStore remote;

	private final ResilienceSettings settings;

	private final Function<RateLimitPolicy, FailureMode> failureModes;

	private final RateLimitClock clock;

	private final Function<RateLimitPolicy, PolicyDecider> local;

	private final KeyMemory.Provider memories;

	private final Breakers breakers;

	private final PostedCalls decisions = new PostedCalls();

	private final PostedCalls changes = new PostedCalls();

	/**
	 * Creates a store.
	 * @param remote the store to wrap
	 * @param settings how to use it
	 * @param failureModes says what decides on a policy while the remote store cannot
	 * @param local opens a policy in this process, where that decides
	 * @param memories where to remember earlier answers, or {@code null} to remember a
	 * fixed number
	 * @param clock this process' time
	 */
	public ResilientStore(RemoteStore remote, ResilienceSettings settings,
			Function<RateLimitPolicy, FailureMode> failureModes, Function<RateLimitPolicy, PolicyDecider> local,
			KeyMemory.@Nullable Provider memories, RateLimitClock clock) {
		this.remote = remote;
		this.settings = settings;
		this.failureModes = failureModes;
		this.local = local;
		this.memories = (memories != null) ? memories : FixedSlots.within(MemoryBudget.ofHeap());
		this.clock = RateLimitClock.monotonic(clock);
		this.breakers = new Breakers(remote, settings, this.clock);
	}

	@Override
	public String name() {
		return this.remote.name();
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		RemoteDecider decider = this.remote.open(policy);
		KeyMemory<RememberedAnswers.Known> known = this.memories.open(RememberedAnswers.bytes(policy.limits().size()));
		Shared shared = new Shared(known, new LocalShare.LocalParts(this.local), new LongAdder());
		return new ResilientDecider(shared, policy, decider);
	}

	@Override
	public Supplier<RateLimitSession> sessions() {
		return this::session;
	}

	RemoteSession session() {
		return new RemoteSession(this.remote, this.clock, new WaitBudget(this.settings.timeout(), REAL_TIME));
	}

	@Override
	public @Nullable SharedOverrides sharedOverrides() {
		return this.remote.sharedOverrides();
	}

	@Override
	public RateLimitStoreAvailability availability() {
		return this.breakers;
	}

	/**
	 * Closes the remote store. Every decision is then the failure mode's.
	 */
	@Override
	public void close() {
		this.remote.close();
	}

	/**
	 * Decides for one policy. It asks the remote store, unless the answer is known, and
	 * leaves the decision to the fallback while the store cannot make it.
	 */
	final class ResilientDecider implements PolicyDecider {

		final Shared shared;

		final RemoteDecider remote;

		final JoinedDecisions joined;

		final PolicyDecider fallback;

		final RememberedAnswers answers;

		/**
		 * Creates a decider for a policy as it is defined, overridden or planned.
		 * @param shared what all deciders of the policy share
		 * @param policy the policy as this one decides
		 * @param remote decides for the policy in the store
		 */
		ResilientDecider(Shared shared, RateLimitPolicy policy, RemoteDecider remote) {
			this.shared = shared;
			this.remote = remote;
			this.joined = new JoinedDecisions(remote, this::refundLater);
			FailureMode mode = failureMode(policy);
			if (policy.mode() != RateLimitMode.SHADOW) {
				ResilientStore.this.breakers.note(mode);
			}
			this.answers = new RememberedAnswers(policy, shared.known(), ResilientStore.this.settings.rejectionMemory(),
					mode == FailureMode.LOCAL);
			this.fallback = switch (mode) {
				case LOCAL -> new LocalShare(policy, shared.parts(), this.answers, ResilientStore.this.settings,
						ResilientStore.this.clock);
				case ALLOW -> new Stateless(() -> allowed(policy));
				case REJECT -> new Stateless(() -> RateLimitDecisions.unavailable(ResilientStore.this.clock.nanos(),
						ResilientStore.this.settings.retryInterval().toNanos()));
			};
		}

		private FailureMode failureMode(RateLimitPolicy policy) {
			if (policy.mode() == RateLimitMode.SHADOW) {
				return FailureMode.ALLOW;
			}
			return ResilientStore.this.failureModes.apply(policy);
		}

		private RateLimitDecision allowed(RateLimitPolicy policy) {
			return RateLimitDecisions.combined(policy.limits()
				.stream()
				.map((limit) -> RateLimitDecisions.allowed(ResilientStore.this.clock.nanos(), limit.capacity(), 0, 0,
						0))
				.toArray(RateLimitDecision[]::new));
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
			return session().decideOnly(new PolicyCall(this, key, permits, withoutDelay));
		}

		/**
		 * {@inheritDoc}
		 * <p>
		 * No fallback decides where the store cannot: a caller that does not wait for the
		 * answer does without.
		 */
		@Override
		public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
			long now = ResilientStore.this.clock.nanos();
			RateLimitDecision known = this.answers.find(key, permits, now);
			if (known != null) {
				return CompletableFuture.completedStage(known);
			}
			RemoteStore.Call<RateLimitDecision> call = (deadline) -> this.joined.decide(key, permits, false, deadline);
			return ask(key, ResilientStore.this.decisions, call, (decision) -> {
				this.answers.remember(key, permits, false, decision, now);
				return permits > 0 && decision.allowed();
			});
		}

		/*
		 * Asks the store, unless it is known to be unavailable, and reports whether it
		 * has answered, and written.
		 */
		private <T> CompletionStage<T> ask(String key, PostedCalls posted, RemoteStore.Call<T> call,
				Predicate<T> wrote) {
			Breaker breaker = breaker(key);
			return posted.post(call, () -> {
				if (!breaker.tryAcquirePermission()) {
					return null;
				}
				long askedAt = ResilientStore.this.clock.nanos();
				return (answer) -> breaker.await(answer, askedAt, wrote);
			});
		}

		/**
		 * Returns the breaker of the server that has a key.
		 */
		Breaker breaker(String key) {
			return ResilientStore.this.breakers.of(this.remote.server(key));
		}

		/**
		 * Decides because the store cannot.
		 */
		RateLimitDecision decideLocally(String key, long permits, boolean withoutDelay) {
			this.shared.fallbacks().increment();
			breaker(key).decidedWithout();
			if (withoutDelay) {
				return RateLimitDecisions.asFallback(this.fallback.decideWithoutDelay(key, permits));
			}
			return RateLimitDecisions.asFallback(this.fallback.decide(key, permits));
		}

		/**
		 * {@inheritDoc}
		 * <p>
		 * Permits that cannot be refunded because the store is unavailable stay taken.
		 */
		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			session().refund(List.of(new Given(this, key, permits, given)));
		}

		/**
		 * {@inheritDoc}
		 * <p>
		 * Waits for the store as long as a call that nobody waits for may take.
		 */
		@Override
		public @Nullable LateCharge settle(String key, long reserved, long used, RateLimitDecision given) {
			if (used != reserved && !given.fallback()) {
				NonBlockingThread.refuse(ResilientStore.this.remote.displayName());
			}
			try {
				return settleAsync(key, reserved, used, given).toCompletableFuture().join();
			}
			catch (CompletionException ex) {
				if (ex.getCause() instanceof StoreCallException failure) {
					throw failure;
				}
				throw ex;
			}
		}

		/**
		 * {@inheritDoc}
		 * <p>
		 * The store is not asked while it is known to be unavailable.
		 */
		@Override
		public CompletionStage<@Nullable LateCharge> settleAsync(String key, long reserved, long used,
				RateLimitDecision given) {
			if (given.fallback()) {
				return CompletableFuture.completedStage(this.fallback.settle(key, reserved, used, given));
			}
			if (used == reserved) {
				return CompletableFuture.completedStage(null);
			}
			return change(key, reserved, used, given).whenComplete((charge, failure) -> forgetRejection(key));
		}

		private CompletionStage<@Nullable LateCharge> change(String key, long reserved, long used,
				RateLimitDecision given) {
			PostedCalls changes = ResilientStore.this.changes;
			if (used > reserved) {
				return ask(key, changes, this.remote.charge(key, used - reserved), (charge) -> true);
			}
			return ask(key, changes, this.remote.refund(key, reserved - used, given), (nothing) -> false)
				.thenApply((nothing) -> null);
		}

		/**
		 * Refunds what the store gave, without waiting for it.
		 */
		CompletionStage<Void> refundLater(String key, long permits, RateLimitDecision given) {
			return ResilientStore.this.changes.post(this.remote.refund(key, permits, given), RemoteStore.Answer::await)
				.whenComplete((refunded, failure) -> forgetRejection(key));
		}

		/**
		 * Forgets a rejection once the store has changed the key: other requests may have
		 * been rejected until then.
		 */
		void forgetRejection(String key) {
			this.answers.forgetRejection(key, ResilientStore.this.clock.nanos());
		}

		@Override
		public void reset(String key) {
			NonBlockingThread.refuse(ResilientStore.this.remote.displayName());
			this.fallback.reset(key);

			try {
				this.remote.reset(key).start(Deadline.after(ResilientStore.this.settings.timeout())).await();
			}
			catch (StoreCallException ex) {
				throw new IllegalStateException("The key was not reset, because "
						+ ResilientStore.this.remote.displayName() + " cannot be asked: " + ex.getMessage(), ex);
			}
			finally {
				this.answers.forget(key, ResilientStore.this.clock.nanos());
			}
		}

		@Override
		public PolicyDecider under(RateLimitPolicy policy) {
			return new ResilientDecider(this.shared, policy, ResilientStore.this.remote.open(policy));
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
		public boolean reserves() {
			return true;
		}

		@Override
		public long fallbacks() {
			return this.shared.fallbacks().sum();
		}

	}

	/**
	 * What the deciders of one policy share. They have the same keys under other limits,
	 * or in another mode.
	 *
	 * @param known what is remembered of the keys
	 * @param parts what each limit counts in this process
	 * @param fallbacks the number of decisions that the store could not make
	 */
	record Shared(KeyMemory<RememberedAnswers.Known> known, LocalShare.LocalParts parts, LongAdder fallbacks) {
	}

	/**
	 * Decides without any state, where the store cannot decide.
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
