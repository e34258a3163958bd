package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The way to a server that pretends that each policy has a server of its own.
 */
final class SpreadRunner extends ForwardingRunner {

	private final Set<String> nodes = ConcurrentHashMap.newKeySet();

	SpreadRunner(ScriptRunner runner) {
		super(runner);
	}

	@Override
	public boolean isCluster() {
		return true;
	}

	@Override
	public String node(byte[] key) {
		String name = new String(key, StandardCharsets.US_ASCII);
		String policy = name.substring(name.indexOf('{') + 1, name.lastIndexOf(':', name.indexOf('}')));
		this.nodes.add(policy);
		return policy;
	}

	@Override
	public Set<String> nodes() {
		return this.nodes;
	}

}
