package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.remote.Deadline;

/**
 * The way to a server that counts how often a caller waits for it. It can also pretend
 * that each policy has a server of its own.
 */
final class WatchedRunner extends ForwardingRunner {

	private final AtomicInteger roundTrips = new AtomicInteger();

	private final Set<String> nodes = ConcurrentHashMap.newKeySet();

	private final boolean spread;

	WatchedRunner(ScriptRunner runner, boolean spread) {
		super(runner);
		this.spread = spread;
	}

	/**
	 * How often somebody has waited since the last time.
	 */
	int roundTrips() {
		return this.roundTrips.getAndSet(0);
	}

	@Override
	public <T> List<PendingCall<T>> startAll(List<ScriptCall<T>> calls, Deadline deadline) {
		this.roundTrips.incrementAndGet();
		return calls.stream().map((call) -> answer(call, deadline)).toList();
	}

	private <T> PendingCall<T> answer(ScriptCall<T> call, Deadline deadline) {
		PendingCall<T> answered = this.runner.start(call, deadline);
		answered.exceptionally((failure) -> null).join();
		return answered;
	}

	private static String policy(byte[] key) {
		String name = new String(key, StandardCharsets.US_ASCII);
		return name.substring(name.indexOf('{') + 1, name.lastIndexOf(':', name.indexOf('}')));
	}

	@Override
	public boolean isCluster() {
		return this.spread || this.runner.isCluster();
	}

	@Override
	public String node(byte[] key) {
		if (!this.spread) {
			return this.runner.node(key);
		}
		this.nodes.add(policy(key));
		return policy(key);
	}

	@Override
	public Set<String> nodes() {
		return this.spread ? this.nodes : this.runner.nodes();
	}

}
