package io.github.ratelimit.resilience;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStates;
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

	private final RemoteStore remote;

	private final ResilienceSettings settings;

	private final Breakers breakers;

	private final RateLimitStoreAvailability availability;

	private final Function<RateLimitPolicy, FailureMode> failureModes;

	private final Function<RateLimitPolicy, RateLimitStates> local;

	private final KeyMemory.Provider memories;

	private final Settlements settlements = new Settlements();

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
			Function<RateLimitPolicy, FailureMode> failureModes, Function<RateLimitPolicy, RateLimitStates> local,
			KeyMemory.@Nullable Provider memories, RateLimitClock clock) {
		this.remote = remote;
		this.settings = settings;
		this.failureModes = failureModes;
		this.local = local;
		this.memories = (memories != null) ? memories : FixedPlaces.provider();
		this.clock = RateLimitClock.monotonic(clock);
		this.breakers = new Breakers(this.clock, settings.retryInterval(), remote::servers, remote.displayName(),
				remote.address());
		this.availability = new ProbedAvailability(this.breakers,
				new Probe(remote, settings, this.breakers::of, this.clock));
	}

	@Override
	public String name() {
		return this.remote.name();
	}

	@Override
	public RateLimitStates open(RateLimitPolicy policy) {
		RateLimitStates shared = this.remote.open(policy);
		return new OpenedPolicy(policy, shared).open(policy, shared);
	}

	private Function<String, Breaker> breakers(RateLimitStates shared) {
		if (this.remote.hasSeveralServers()) {
			return (key) -> this.breakers.of(this.remote.server(shared, key));
		}
		Breaker only = this.breakers.of("");
		return (key) -> only;
	}

	@Override
	public Supplier<RateLimitSession> sessions() {
		JointCalls calls = new JointCalls(this.remote, this.clock, this.settings.timeout());
		return () -> new ResilientSession(calls, this.clock, new WaitingTime(this.settings.timeout()));
	}

	@Override
	public RateLimitStoreAvailability availability() {
		return this.availability;
	}

	/**
	 * What the versions of one policy share.
	 */
	private final class OpenedPolicy implements Versions {

		private final ResilientStore store = ResilientStore.this;

		private final LocalParts parts = new LocalParts(this.store.local);

		private final LongAdder fallbacks = new LongAdder();

		private final RateLimitStates defined;

		private final Function<String, Breaker> breakers;

		private final KeyMemory<KnownKey> known;

		OpenedPolicy(RateLimitPolicy policy, RateLimitStates defined) {
			this.defined = defined;
			this.breakers = breakers(defined);
			this.known = this.store.memories.open(KnownKey.bytes(policy.limits().size()));
		}

		@Override
		public @Nullable RateLimitStates open(RateLimitPolicy policy) {
			RateLimitStates shared = this.defined.under(policy);
			return (shared != null) ? open(policy, shared) : null;
		}

		RateLimitStates open(RateLimitPolicy policy, RateLimitStates shared) {
			RateLimitClock clock = this.store.clock;
			if (policy.mode() == RateLimitMode.SHADOW) {
				return new ShadowStates(shared, FallbackStates.allowing(policy, clock), this.breakers,
						rejections(policy), clock, this);
			}
			return switch (this.store.failureModes.apply(policy)) {
				case LOCAL -> {
					LastAnswers answers = new LastAnswers(clock, this.known);
					yield open(policy, shared, new LocalShare(policy, this.parts, answers, this.store.settings, clock),
							answers);
				}
				case ALLOW -> open(policy, shared, FallbackStates.allowing(policy, clock), null);
				case REJECT -> open(policy, shared,
						FallbackStates.rejecting(policy, clock, this.store.settings.retryInterval().toNanos()), null);
			};
		}

		private RateLimitStates open(RateLimitPolicy policy, RateLimitStates shared, RateLimitStates fallback,
				@Nullable LastAnswers answers) {
			return new ResilientStates(this.store.remote.displayName(), shared, fallback, this.breakers,
					rejections(policy), answers, this.store.settlements, this.store.clock, this, this.fallbacks);
		}

		/*
		 * A limit that counts rejected requests must see them, and so must a ban that has
		 * not begun.
		 */
		private @Nullable RejectionCache rejections(RateLimitPolicy policy) {
			Duration memory = this.store.settings.rejectionMemory();
			boolean bans = policy.ban() != null;
			boolean counted = policy.limits().stream().anyMatch(RateLimit::countRejected);
			return (counted && !bans || memory.isZero()) ? null : new RejectionCache(memory, this.known, bans);
		}

	}

}
