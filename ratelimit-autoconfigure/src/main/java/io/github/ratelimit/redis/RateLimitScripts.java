package io.github.ratelimit.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

/**
 * The scripts of all policies whose limits are of the same kinds. A server keeps them for
 * as long as it runs, however often the numbers change.
 *
 * @param decide decides on a request
 * @param giveBack gives back what a request was given
 */
record RateLimitScripts(Script decide, Script giveBack) {

	/**
	 * The sections {@code now} and {@code lifetime}.
	 */
	static final String SERVER_TIME = ScriptSections.read("server-time.lua");

	private static final int MOST_LIMITS = 16;

	/* A Lua function has at most 200 variables. */
	private static final int MOST_VARIABLES = 172;

	private static final int VARIABLES_OF_A_LIMIT = 10;

	private static final int VARIABLES_OF_A_POLICY = 5;

	private static final int MOST_TOGETHER = 1000;

	private static final Map<String, RateLimitScripts> ALONE = new ConcurrentHashMap<>();

	private static final Map<String, Script> TOGETHER = new ConcurrentHashMap<>();

	/**
	 * Finds the scripts of a policy, or puts them together.
	 * @param time what defines the time
	 * @param limits a policy's limits
	 */
	static RateLimitScripts of(String time, List<LimitScript> limits) {
		if (limits.size() > MOST_LIMITS) {
			throw new InvalidRateLimitException("limits", limits.size(), "are more than Redis can decide on together",
					"Use at most " + MOST_LIMITS + " limits in one policy.");
		}
		return found(ALONE, time + kinds(limits), () -> {
			ScriptAssembler assembler = assembler(time, List.of(limits));
			return new RateLimitScripts(assembler.assemble("decide"), assembler.assemble("give-back"));
		});
	}

	/**
	 * Finds the script that decides on several policies, or puts it together.
	 * @param time what defines the time
	 * @param policies the limits of each policy
	 * @return the script, or {@code null} if they are too many for one
	 */
	static @Nullable Script together(String time, List<List<LimitScript>> policies) {
		int limits = policies.stream().mapToInt(List::size).sum();
		int variables = limits * VARIABLES_OF_A_LIMIT + policies.size() * VARIABLES_OF_A_POLICY;
		if (limits > MOST_LIMITS || variables > MOST_VARIABLES) {
			return null;
		}
		String kinds = policies.stream().map(RateLimitScripts::kinds).collect(Collectors.joining("|"));
		String name = time + kinds;
		return (TOGETHER.size() >= MOST_TOGETHER) ? TOGETHER.get(name)
				: found(TOGETHER, name, () -> assembler(time, policies).assemble("decide"));
	}

	private static <T> T found(Map<String, T> scripts, String name, Supplier<T> assembly) {
		return scripts.computeIfAbsent(name, (missing) -> assembly.get());
	}

	private static String kinds(List<LimitScript> limits) {
		return limits.stream()
			.map((limit) -> limit.kind() + String.join("+", limit.files()))
			.collect(Collectors.joining(","));
	}

	private static ScriptAssembler assembler(String time, List<List<LimitScript>> policies) {
		return new ScriptAssembler(policies, ScriptSections.of(time), ScriptSections.ofFile("decide.lua"),
				ScriptSections.ofFile("give-back.lua"));
	}

}
