package io.github.ratelimit.remote;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

/**
 * A breaker for each server, because a failure of one says nothing of the others. The
 * store is available while all of them are, as requests have found it. While there are
 * none, the servers are asked whether they would decide.
 */
final class Breakers implements RateLimitStoreAvailability {

	/* Stands for failure modes that are not the same. */
	private static final String DIFFERENT = "on-failure";

	private final Map<String, Breaker> breakers = new ConcurrentHashMap<>();

	private final AtomicLong checkedAt = new AtomicLong(Long.MIN_VALUE);

	private final RemoteStore remote;

	private final ResilienceSettings settings;

	private final RateLimitClock clock;

	private final LongAdder outages = new LongAdder();

	/* Those of the policies that are open. */
	private final Set<FailureMode> modes = ConcurrentHashMap.newKeySet();

	private volatile @Nullable Check found;

	/**
	 * Creates the breakers.
	 * @param remote the store that has the servers
	 * @param settings how long to wait for a server, and how often to ask it
	 * @param clock this process' time
	 */
	Breakers(RemoteStore remote, ResilienceSettings settings, RateLimitClock clock) {
		this.remote = remote;
		this.settings = settings;
		this.clock = clock;
	}

	/**
	 * Notes what decides on a policy while the store cannot.
	 */
	void note(FailureMode mode) {
		this.modes.add(mode);
	}

	/**
	 * The breaker of a server.
	 * @param server the server's name, or an empty text if it is not known or the only
	 * one
	 */
	Breaker of(String server) {
		Breaker breaker = this.breakers.get(server);
		if (breaker != null) {
			return breaker;
		}
		return add(server);
	}

	private synchronized Breaker add(String server) {
		dropFormer();
		return this.breakers.computeIfAbsent(server,
				(added) -> new Breaker(this.clock, this.settings.retryInterval(), name(added), this.outages));
	}

	private String name(String server) {
		String address = server.isEmpty() ? this.remote.address() : server;
		String name = this.remote.displayName();
		if (address.isEmpty()) {
			return name;
		}
		return name + " at " + address;
	}

	/*
	 * Forgets the servers that are gone. The outage of one would never end, because
	 * nothing asks it.
	 */
	private synchronized void dropFormer() {
		Set<String> present = this.remote.servers();
		if (present.isEmpty()) {
			return;
		}

		this.breakers.entrySet().removeIf((each) -> {
			boolean former = !present.contains(each.getKey());
			if (former) {
				each.getValue().drop();
			}
			return former;
		});
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

		Map<String, RemoteStore.Call<?>> calls = new LinkedHashMap<>(this.remote.checks());
		Deadline deadline = Deadline.after(this.settings.timeout());
		String found = null;
		for (int i = 0; i <= Breaker.FAILURES && deadline.remainingNanos() > 0; i++) {
			calls.keySet().removeIf((server) -> !of(server).tryAcquirePermission());
			if (!calls.isEmpty()) {
				found = ask(calls, deadline);
			}
		}
		this.found = new Check(this.clock.nanos(), found);
	}

	private boolean isRecent(long checked, long now) {
		return checked != Long.MIN_VALUE && now - checked < this.settings.retryInterval().toNanos();
	}

	/*
	 * Asks the servers, and leaves the calls of those that are to be asked again. Returns
	 * the last failure, if there was one.
	 */
	private @Nullable String ask(Map<String, RemoteStore.Call<?>> calls, Deadline deadline) {
		String found = null;
		long askedAt = this.clock.nanos();
		Map<String, RemoteStore.Answer<?>> answers = new LinkedHashMap<>();
		calls.forEach((server, call) -> answers.put(server, call.start(deadline)));

		for (String server : answers.keySet()) {
			try {
				answers.get(server).await();
				of(server).succeeded(true);
				calls.remove(server);
			}
			catch (StoreCallException ex) {
				of(server).failed(ex, askedAt);
				if (ex.blame() != Blame.CALLER) {
					found = ex.getMessage();
				}
			}
		}
		return found;
	}

	@Override
	public boolean isAvailable() {
		return failure() == null;
	}

	@Override
	public long outages() {
		return this.outages.sum();
	}

	@Override
	public String decides() {
		if (isAvailable()) {
			return this.remote.name();
		}
		String without = Objects.requireNonNullElse(onFailure(), DIFFERENT);
		long failing = this.breakers.values().stream().filter((breaker) -> breaker.failure() != null).count();
		if (failing > 0 && failing < this.remote.servers().size()) {
			return this.remote.name() + " and " + without;
		}
		return without;
	}

	@Override
	public @Nullable String onFailure() {
		List<String> names = this.modes.stream().map((mode) -> mode.name().toLowerCase(Locale.ROOT)).toList();
		return switch (names.size()) {
			case 0 -> null;
			case 1 -> names.get(0);
			default -> DIFFERENT;
		};
	}

	@Override
	public @Nullable String failure() {
		dropFormer();
		String failures = this.breakers.entrySet()
			.stream()
			.filter((each) -> each.getValue().failure() != null)
			.map((each) -> failure(each.getKey(), each.getValue()))
			.sorted()
			.collect(Collectors.joining("; "));

		if (!failures.isEmpty()) {
			return failures;
		}
		Check found = this.found;
		if (found == null || !isRecent(found.at, this.clock.nanos())) {
			return null;
		}
		return found.failure;
	}

	private static String failure(String server, Breaker breaker) {
		if (server.isEmpty()) {
			return String.valueOf(breaker.failure());
		}
		return server + ": " + breaker.failure();
	}

	/**
	 * What the last check has found.
	 *
	 * @param at when it was over
	 * @param failure the failure, or {@code null} if there was none
	 */
	private record Check(long at, @Nullable String failure) {
	}

}
