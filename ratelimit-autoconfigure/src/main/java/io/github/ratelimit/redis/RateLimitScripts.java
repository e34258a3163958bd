package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;

/**
 * The scripts, put together from one file for each idea. They have only the algorithms
 * that a policy needs, because a server defines all functions of a script at each call.
 *
 * @param decide decides on a request
 * @param giveBack gives back what a request was given
 */
record RateLimitScripts(Script decide, Script giveBack) {

	/**
	 * Defines the functions {@code clock} and {@code lifetime}.
	 */
	static final String SERVER_TIME = read("server-time.lua");

	/**
	 * Puts the scripts together.
	 * @param time what defines the time
	 * @param limits a policy's limits
	 */
	static RateLimitScripts of(String time, Collection<RateLimit> limits) {
		Set<RateLimitAlgorithm> algorithms = EnumSet.noneOf(RateLimitAlgorithm.class);
		limits.forEach((limit) -> algorithms.add(limit.algorithm()));
		Set<String> files = new LinkedHashSet<>();
		algorithms.forEach((algorithm) -> files.addAll(files(algorithm)));
		StringBuilder common = new StringBuilder(time).append(read("numbers.lua"));
		files.forEach((file) -> common.append(read(file)));
		common.append(read("policy.lua"));
		return new RateLimitScripts(Script.of(common + read("decide.lua")), Script.of(common + read("give-back.lua")));
	}

	private static List<String> files(RateLimitAlgorithm algorithm) {
		return switch (algorithm) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> List.of("meter.lua");
			case FIXED_WINDOW_COUNTER -> List.of("fixed-window-counter.lua");
			case SLIDING_WINDOW_COUNTER -> List.of("exact-division.lua", "sliding-window-counter.lua");
			case SLIDING_WINDOW_LOG -> List.of("sliding-window-log.lua");
		};
	}

	private static String read(String name) {
		try (InputStream resource = RateLimitScripts.class.getResourceAsStream(name)) {
			if (resource == null) {
				throw new IllegalStateException("The script " + name + " is missing in the jar");
			}
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
