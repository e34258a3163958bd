package io.github.ratelimit.remote;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.PolicyDecider;
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
public class ResilientStore implements RateLimitStore {

	final RemoteStore remote;

	final ResilienceSettings settings;

	final Function<RateLimitPolicy, FailureMode> failureModes;

	final RateLimitClock clock;

	private final Function<RateLimitPolicy, PolicyDecider> local;

	private final KeyMemory.Provider memories;

	final Breakers breakers;

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
		this.memories = (memories != null) ? memories : FixedPlaces::open;
		this.clock = RateLimitClock.monotonic(clock);
		this.breakers = new Breakers(remote, settings, this.clock);
	}

	@Override
	public String name() {
		return this.remote.name();
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		RemoteStore.States states = this.remote.open(policy);
		KeyMemory<RememberedAnswers.Known> known = this.memories.open(RememberedAnswers.bytes(policy.limits().size()));
		return new ResilientStates(this,
				new ResilientStates.Versions(known, new LocalShare.LocalParts(this.local), new LongAdder()), policy,
				states);
	}

	@Override
	public Supplier<RateLimitSession> sessions() {
		return this::session;
	}

	RateLimitSession session() {
		return new RemoteSession(this.remote, this.clock,
				new WaitingTime(this.settings.timeout(), RateLimitClock.system()));
	}

	@Override
	public RateLimitStoreAvailability availability() {
		return this.breakers;
	}

}
