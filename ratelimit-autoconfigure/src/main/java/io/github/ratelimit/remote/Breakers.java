package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimitClock;
import org.jspecify.annotations.Nullable;

/**
 * A breaker for each server, because a failure of one says nothing of the others. The
 * store is available while all of them are.
 */
final class Breakers {

	private final Map<String, Breaker> breakers = new ConcurrentHashMap<>();

	private final RateLimitClock clock;

	private final Duration interval;

	private final Supplier<Set<String>> nodes;

	private final String store;

	private final String address;

	private long formerOutages;

	/**
	 * Creates the breakers.
	 * @param clock this process' time
	 * @param interval how often a server that does not answer is asked
	 * @param nodes the names of the servers that there are at present
	 * @param store what log lines call the store
	 * @param address the address of the only server, or an empty text
	 */
	Breakers(RateLimitClock clock, Duration interval, Supplier<Set<String>> nodes, String store, String address) {
		this.clock = clock;
		this.interval = interval;
		this.nodes = nodes;
		this.store = store;
		this.address = address;
	}

	/**
	 * The breaker of a server.
	 * @param node the server's name, or an empty text if it is not known or the only one
	 */
	Breaker of(String node) {
		Breaker breaker = this.breakers.get(node);
		return (breaker != null) ? breaker : add(node);
	}

	private synchronized Breaker add(String node) {
		dropFormer();
		return this.breakers.computeIfAbsent(node, (name) -> new Breaker(this.clock, this.interval, name(name)));
	}

	private String name(String node) {
		String place = node.isEmpty() ? this.address : node;
		return place.isEmpty() ? this.store : this.store + " at " + place;
	}

	/*
	 * The outage of a server that is gone would never end, because nothing asks it.
	 */
	private synchronized void dropFormer() {
		Set<String> present = this.nodes.get();
		if (present.isEmpty()) {
			return;
		}
		this.breakers.entrySet().removeIf((each) -> {
			boolean former = !present.contains(each.getKey());
			if (former) {
				this.formerOutages += each.getValue().outages();
				each.getValue().drop();
			}
			return former;
		});
	}

	boolean isAvailable() {
		dropFormer();
		return this.breakers.values().stream().allMatch(Breaker::isAvailable);
	}

	synchronized long outages() {
		return this.formerOutages + this.breakers.values().stream().mapToLong(Breaker::outages).sum();
	}

	@Nullable String failure() {
		dropFormer();
		String failures = this.breakers.entrySet()
			.stream()
			.filter((each) -> each.getValue().failure() != null)
			.map((each) -> (each.getKey().isEmpty() ? "" : each.getKey() + ": ") + each.getValue().failure())
			.sorted()
			.collect(Collectors.joining("; "));
		return failures.isEmpty() ? null : failures;
	}

}
