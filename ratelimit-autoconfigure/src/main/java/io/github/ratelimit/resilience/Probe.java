package io.github.ratelimit.resilience;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.resilience.StoreCallException.Blame;
import org.jspecify.annotations.Nullable;

/**
 * Asks the servers whether they would decide, for when no request does.
 */
final class Probe {

	private final AtomicLong checkedAt = new AtomicLong(Long.MIN_VALUE);

	private final RemoteStore remote;

	private final ResilienceSettings settings;

	private final Function<String, Breaker> breakers;

	private final RateLimitClock clock;

	private volatile @Nullable String failure;

	/**
	 * Creates a probe.
	 * @param remote the store whose servers to ask
	 * @param settings how long to wait, and how often to ask
	 * @param breakers the breaker of a server, by its name
	 * @param clock this process' time
	 */
	Probe(RemoteStore remote, ResilienceSettings settings, Function<String, Breaker> breakers, RateLimitClock clock) {
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
	void check() {
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
			asked.removeIf((server) -> !this.breakers.apply(server).mayCall());
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
				this.breakers.apply(server).succeeded(true);
				asked.remove(server);
			}
			else {
				this.breakers.apply(server).failed(failed, askedAt);
				found = (failed.blame() != Blame.CALLER) ? failed.getMessage() : found;
			}
		}
		return found;
	}

	/**
	 * The failure of the last check, if that was lately.
	 */
	@Nullable String failure() {
		return isRecent(this.checkedAt.get(), this.clock.nanos()) ? this.failure : null;
	}

}
