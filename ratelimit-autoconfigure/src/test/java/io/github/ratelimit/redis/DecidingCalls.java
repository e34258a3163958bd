package io.github.ratelimit.redis;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Counts the calls of scripts that a server is asked for decisions with: those by which
 * instances look for overrides once a second, whenever that is, are not among them.
 */
final class DecidingCalls {

	/* In the log, between the command and the name of the first key. */
	private static final int LINES_TO_KEY = 6;

	private final TestRedis redis;

	private DecidingCalls(TestRedis redis) {
		this.redis = redis;
	}

	/**
	 * Counts from now on.
	 */
	static DecidingCalls of(TestRedis redis) {
		redis.call("CONFIG", "SET", "slowlog-max-len", "1000");
		redis.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
		redis.call("SLOWLOG", "RESET");
		return new DecidingCalls(redis);
	}

	long count() {
		List<String> lines = this.redis.call("SLOWLOG", "GET", "1000").lines().toList();
		return IntStream.range(0, lines.size() - LINES_TO_KEY)
			.filter((i) -> lines.get(i).equalsIgnoreCase("evalsha"))
			.filter((i) -> !lines.get(i + LINES_TO_KEY).contains("{overrides}"))
			.count();
	}

}
