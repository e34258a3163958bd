package io.github.ratelimit.remote;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

/**
 * The availability as requests have found it. While there are none, asks the servers
 * whether they would decide.
 */
final class Probe implements RateLimitStoreAvailability {

	private final AtomicLong checkedAt = new AtomicLong(Long.MIN_VALUE);

	private final RemoteStore remote;

	private final ResilienceSettings settings;

	private final Breakers breakers;

	private final RateLimitClock clock;

	private volatile @Nullable String failure;

	/**
	 * Creates a probe.
	 * @param remote the store whose servers to ask
	 * @param settings how long to wait, and how often to ask
	 * @param breakers what requests have found
	 * @param clock this process' time
	 */
	Probe(RemoteStore remote, ResilienceSettings settings, Breakers breakers, RateLimitClock clock) {
		this.remote = remote;
		this.settings = settings;
		this.breakers = breakers;
		this.clock = clock;
	}

	/**
	 * Asks each server, unless that was done within the retry interval, and waits no
	 * longer than for a decision. A server that fails is asked again at once, because an
	 * outage is several failures in a row.
	 */
	@Override
	public void check() {
		long last = this.checkedAt.get();
		long now = this.clock.nanos();
		if (isRecent(last, now) || !this.checkedAt.compareAndSet(last, now)) {
			return;
		}
		RemoteStore.Check check = this.remote.check();
		Set<String> asked = new LinkedHashSet<>(check.servers());
		Deadline deadline = Deadline.after(this.settings.timeout());
		String found = null;
		for (int i = 0; i <= Breaker.FAILURES && !asked.isEmpty() && deadline.remainingNanos() > 0; i++) {
			asked.removeIf((server) -> !this.breakers.of(server).mayCall());
			found = ask(check, asked, deadline, found);
		}
		this.failure = found;
	}

	private boolean isRecent(long checked, long now) {
		return checked != Long.MIN_VALUE && now - checked < this.settings.retryInterval().toNanos();
	}

	/*
	 * Leaves those that are to be asked again.
	 */
	private @Nullable String ask(RemoteStore.Check check, Set<String> asked, Deadline deadline,
			@Nullable String before) {
		String found = asked.isEmpty() ? before : null;
		long askedAt = this.clock.nanos();
		Map<String, StoreCallException> failures = check.ask(asked, deadline);
		for (String server : List.copyOf(asked)) {
			StoreCallException failed = failures.get(server);
			if (failed == null) {
				this.breakers.of(server).succeeded(true);
				asked.remove(server);
			}
			else {
				this.breakers.of(server).failed(failed, askedAt);
				found = (failed.blame() != Blame.CALLER) ? failed.getMessage() : found;
			}
		}
		return found;
	}

	private @Nullable String probed() {
		return isRecent(this.checkedAt.get(), this.clock.nanos()) ? this.failure : null;
	}

	@Override
	public boolean isAvailable() {
		return this.breakers.isAvailable() && probed() == null;
	}

	@Override
	public long outages() {
		return this.breakers.outages();
	}

	@Override
	public @Nullable String failure() {
		String failure = this.breakers.failure();
		return (failure != null) ? failure : probed();
	}

}
