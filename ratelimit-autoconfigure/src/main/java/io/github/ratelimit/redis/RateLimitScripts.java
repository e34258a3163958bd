package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The scripts, put together from one file for each idea.
 *
 * @param decide decides on a request
 * @param giveBack gives back what a request was given
 */
record RateLimitScripts(Script decide, Script giveBack) {

	private static final String[] COMMON = { "numbers.lua", "meter.lua", "fixed-window-counter.lua",
			"sliding-window-counter.lua", "sliding-window-log.lua", "policy.lua" };

	static RateLimitScripts withServerTime() {
		return withTime(read("server-time.lua"));
	}

	/**
	 * Puts the scripts together.
	 * @param time defines the functions {@code clock} and {@code lifetime}
	 */
	static RateLimitScripts withTime(String time) {
		StringBuilder common = new StringBuilder(time);
		for (String name : COMMON) {
			common.append(read(name));
		}
		return new RateLimitScripts(Script.of(common + read("decide.lua")), Script.of(common + read("give-back.lua")));
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
