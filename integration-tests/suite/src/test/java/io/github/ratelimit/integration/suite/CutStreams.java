package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Random;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.testserver.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients of a server that leave streams, each of which reserves 10 permits of a policy,
 * and of another that is applied by a rule and charges nothing for what succeeds.
 */
final class CutStreams {

	static final long ALL = 100;

	static final String[] POLICIES = { "rule: 100 per 1d; key='all'; charge=status >= 400", "/** -> rule; cost=10" };

	private static final int LONGEST = 1_000;

	private final TestServer server;

	private final RateLimiter policy;

	private final RateLimiter rule;

	/**
	 * Creates clients.
	 * @param policy the policy of the stream
	 * @param rule the policy of the rule
	 */
	CutStreams(TestServer server, String policy, String rule) {
		this.server = server;
		this.policy = server.limiter().policy(policy);
		this.rule = server.limiter().policy(rule);
	}

	void reset() {
		for (RateLimiter each : this.server.limiter().policies()) {
			this.server.awaitSettled(each.policy().name());
			each.reset("all");
		}
	}

	/**
	 * Leaves streams at random moments, the first of them before anything is read.
	 */
	void cut(String path, int times) {
		RandomCases.check(times, (random) -> {
			leave(path, random);
			reset(path);
		});
	}

	private void leave(String path, Random random) {
		try (Socket socket = this.server.begin("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
			TestServer.await(() -> remaining(this.policy) == ALL - 10);
			socket.getInputStream().readNBytes(random.nextInt(4) == 0 ? 0 : random.nextInt(LONGEST));
			switch (random.nextInt(3)) {
				case 0 -> socket.setSoLinger(true, 0);
				case 1 -> socket.shutdownInput();
				default -> socket.setSoLinger(false, 0);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void reset(String path) {
		this.server.awaitSettled(this.policy.policy().name());
		this.server.awaitSettled(this.rule.policy().name());
		assertThat(remaining(this.policy)).as(path).isEqualTo(ALL - 10);
		assertThat(remaining(this.rule)).as("the rule of " + path).isEqualTo(ALL - 10);
		reset();
	}

	/**
	 * Reads a stream to its end.
	 */
	void read(String path, long charged) {
		this.server.get(path).is(200);
		TestServer.await(() -> remaining(this.policy) == ALL - charged);
		TestServer.await(() -> remaining(this.rule) == ALL);
	}

	private static long remaining(RateLimiter policy) {
		return policy.peek("all").remaining();
	}

}
