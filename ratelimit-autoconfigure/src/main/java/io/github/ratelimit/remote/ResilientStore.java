package io.github.ratelimit.remote;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a store that is reached over a network. Requests do not queue up behind a server
 * that does not answer: while it cannot decide, each policy's failure mode does.
 * Rejections are remembered, so that a key that keeps asking hardly costs the store
 * anything.
 *
 * @since 0.1.0
 */
public final class ResilientStore implements RateLimitStore {

	/* Where a store has become slow, further ones would fill the heap. */
	static final int MOST_SETTLEMENTS = 1000;

	private final RemoteStore remote;

	private final ResilienceSettings settings;

	private final Breakers breakers;

	private final RateLimitStoreAvailability availability;

	private final Function<RateLimitPolicy, FailureMode> failureModes;

	private final Function<RateLimitPolicy, PolicyDecider> local;

	private final KeyMemory.Provider memories;

	/*
	 * Those of all policies that are on their way to the store, and no request waits for.
	 */
	private final Semaphore settlements = new Semaphore(MOST_SETTLEMENTS);

	private final RateLimitClock clock;

	/**
	 * Creates a store.
	 * @param remote the store to wrap
	 * @param settings how to use it
	 * @param failureModes what decides on a policy while the remote store cannot
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
		this.memories = (memories != null) ? memories : FixedPlaces.provider();
		this.clock = RateLimitClock.monotonic(clock);
		this.breakers = new Breakers(this.clock, settings.retryInterval(), remote::servers, remote.displayName(),
				remote.address());
		this.availability = new Probe(remote, settings, this.breakers, this.clock);
	}

	@Override
	public String name() {
		return this.remote.name();
	}

	String displayName() {
		return this.remote.displayName();
	}

	RateLimitClock clock() {
		return this.clock;
	}

	Semaphore settlements() {
		return this.settlements;
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		PolicyDecider shared = this.remote.open(policy);
		return new OpenedPolicy(policy, shared).open(policy, shared);
	}

	@Override
	public Supplier<RateLimitSession> sessions() {
		return this::session;
	}

	RateLimitSession session() {
		return new RemoteSession(this.remote, this.clock, new WaitingTime(this.settings.timeout()));
	}

	@Override
	public RateLimitStoreAvailability availability() {
		return this.availability;
	}

	/**
	 * What the versions of one policy share: what is remembered of the keys, because
	 * there may be many, and what is counted.
	 */
	final class OpenedPolicy {

		private final LocalShare.LocalParts parts = new LocalShare.LocalParts(ResilientStore.this.local);

		private final LongAdder fallbacks = new LongAdder();

		private final PolicyDecider defined;

		private final @Nullable Breaker only;

		private final KeyMemory<KnownKey> known;

		OpenedPolicy(RateLimitPolicy policy, PolicyDecider defined) {
			this.defined = defined;
			this.only = ResilientStore.this.remote.hasSeveralServers() ? null : ResilientStore.this.breakers.of("");
			this.known = ResilientStore.this.memories.open(KnownKey.bytes(policy.limits().size()));
		}

		ResilientStore store() {
			return ResilientStore.this;
		}

		LongAdder fallbacks() {
			return this.fallbacks;
		}

		/**
		 * The breaker of the server that has a key.
		 */
		Breaker breaker(String key) {
			return (this.only != null) ? this.only
					: ResilientStore.this.breakers.of(ResilientStore.this.remote.server(this.defined, key));
		}

		/**
		 * Opens a version: the same keys under other limits, or in another mode.
		 * @return its states, or {@code null} if the store cannot go on with those of
		 * before
		 */
		@Nullable PolicyDecider under(RateLimitPolicy policy) {
			PolicyDecider shared = this.defined.under(policy);
			return (shared != null) ? open(policy, shared) : null;
		}

		PolicyDecider open(RateLimitPolicy policy, PolicyDecider shared) {
			ResilienceSettings settings = ResilientStore.this.settings;
			RateLimitClock clock = ResilientStore.this.clock;
			FailureMode mode = (policy.mode() == RateLimitMode.SHADOW) ? FailureMode.ALLOW
					: ResilientStore.this.failureModes.apply(policy);
			RememberedAnswers answers = new RememberedAnswers(policy, this.known, settings.rejectionMemory(),
					mode == FailureMode.LOCAL);
			PolicyDecider fallback = switch (mode) {
				case LOCAL -> new LocalShare(policy, this.parts, answers, settings, clock);
				case ALLOW -> new Stateless(() -> allowed(policy, clock.nanos()));
				case REJECT -> new Stateless(
						() -> RateLimitDecisions.unavailable(clock.nanos(), settings.retryInterval().toNanos()));
			};
			return new ResilientStates(this, shared, fallback, answers);
		}

		private static RateLimitDecision allowed(RateLimitPolicy policy, long now) {
			return RateLimitDecisions.combined(policy.limits()
				.stream()
				.map((limit) -> RateLimitDecisions.allowed(now, limit.capacity(), 0, 0, 0))
				.toArray(RateLimitDecision[]::new));
		}

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
