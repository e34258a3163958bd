package io.github.ratelimit.remote;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The outcomes of the calls of one round trip. Those of one server count as one.
 */
final class Outcomes {

	private final Map<Breaker, Outcome> servers = new LinkedHashMap<>(2);

	/**
	 * Notes how a call went.
	 * @param server the breaker of the server that was asked
	 * @param failure why there was no answer, or {@code null}
	 * @param wrote whether the server is known to have written
	 */
	void note(Breaker server, @Nullable StoreCallException failure, boolean wrote) {
		Outcome outcome = this.servers.computeIfAbsent(server, (each) -> new Outcome());
		outcome.answered |= failure == null;
		outcome.wrote |= wrote;
		outcome.failure = (outcome.failure != null) ? outcome.failure : failure;
	}

	/**
	 * Reports to each server's breaker.
	 * @param askedAt when the servers were asked
	 */
	void report(long askedAt) {
		this.servers.forEach((server, outcome) -> {
			if (outcome.answered) {
				server.succeeded(outcome.wrote);
			}
			if (outcome.failure != null) {
				server.failed(outcome.failure, askedAt);
			}
		});
	}

	private static final class Outcome {

		private boolean answered;

		private boolean wrote;

		private @Nullable StoreCallException failure;

	}

}
