package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Map;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound where a decision in this process may pause: after another thread has
 * changed the key's state first, and while another thread adds or evicts keys. Each is as
 * short as what the other thread computes. BlockHound finds this by itself.
 *
 * @since 0.1.0
 */
public final class RateLimitBlockHoundIntegration implements BlockHoundIntegration {

	/* Named by texts, because to load the classes would need Caffeine. */
	static final Map<String, List<String>> METHODS = Map.of("io.github.ratelimit.local.Backoff", List.of("pause"),
			"io.github.ratelimit.local.BoundedCache", List.of("find", "findOrAdd", "add", "compute", "makeRoom"),
			"io.github.ratelimit.store.MemoryBudget", List.of("trim"));

	@Override
	public void applyTo(BlockHound.Builder builder) {
		METHODS.forEach((type, methods) -> methods.forEach((method) -> builder.allowBlockingCallsInside(type, method)));
	}

}
