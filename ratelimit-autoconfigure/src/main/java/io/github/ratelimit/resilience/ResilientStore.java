package io.github.ratelimit.resilience;

import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
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
		KeyMemory<KnownKey> known = this.memories.open(KnownKey.bytes(policy.limits().size()));
		return switch (this.failureModes.apply(policy)) {
			case LOCAL -> {
				LastAnswers answers = new LastAnswers(this.clock, known);
				yield open(policy, shared, new LocalShare(policy, this.local, answers, this.settings, this.clock),
						known, answers);
			}
			case ALLOW -> open(policy, shared, FallbackStates.allowing(policy, this.clock), known, null);
			case REJECT -> open(policy, shared,
					FallbackStates.rejecting(policy, this.clock, this.settings.retryInterval().toNanos()), known, null);
		};
	}

	private RateLimitStates open(RateLimitPolicy policy, RateLimitStates shared, RateLimitStates fallback,
			KeyMemory<KnownKey> known, @Nullable LastAnswers answers) {
		return new ResilientStates(this.remote.displayName(), shared, fallback, breakers(shared),
				rejections(policy, known), answers, this.clock);
	}

	private Function<String, Breaker> breakers(RateLimitStates shared) {
		if (this.remote.hasSeveralServers()) {
			return (key) -> this.breakers.of(this.remote.server(shared, key));
		}
		Breaker only = this.breakers.of("");
		return (key) -> only;
	}

	/*
	 * A limit that counts rejected requests must see them.
	 */
	private @Nullable RejectionCache rejections(RateLimitPolicy policy, KeyMemory<KnownKey> known) {
		boolean counted = policy.limits().stream().anyMatch(RateLimit::countRejected);
		return (counted || this.settings.rejectionMemory().isZero()) ? null
				: new RejectionCache(this.settings.rejectionMemory(), known);
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

}
