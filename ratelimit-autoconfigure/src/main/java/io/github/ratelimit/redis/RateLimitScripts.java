package io.github.ratelimit.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The scripts of all policies whose limits are of the same kinds. A server keeps them for
 * as long as it runs, however often the numbers change.
 *
 * @param decide decides on a request
 * @param refund refunds what a request was given
 * @param settle takes what a request has used beyond that
 */
record RateLimitScripts(ScriptCall.Script decide, ScriptCall.Script refund, ScriptCall.Script settle) {

	/**
	 * The sections {@code now} and {@code lifetime}.
	 */
	static final String SERVER_TIME = ScriptSections.read("server-time.lua");

	private static final int MOST_LIMITS = 16;

	/* A Lua function has at most 200 variables. */
	private static final int MOST_VARIABLES = 172;

	private static final int VARIABLES_OF_A_LIMIT = 10;

	private static final int VARIABLES_OF_A_POLICY = 5;

	/* Also those of its answer. */
	private static final int VARIABLES_OF_A_BAN = 5;

	private static final int MOST_TOGETHER = 1000;

	private static final Map<String, RateLimitScripts> ALONE = new ConcurrentHashMap<>();

	private static final Map<String, ScriptCall.Script> TOGETHER = new ConcurrentHashMap<>();

	/**
	 * Finds the scripts of a policy, or puts them together.
	 * @param time what defines the time
	 * @param policy the policy
	 */
	static RateLimitScripts of(String time, PolicyScript policy) {
		return found(ALONE, time + policy.kinds(), () -> {
			ScriptAssembler afterwards = assembler(time, List.of(policy.withoutBan()));
			return new RateLimitScripts(assembler(time, List.of(policy)).assemble("decide"),
					afterwards.assemble("refund"), afterwards.assemble("settle"));
		});
	}

	/**
	 * Finds the script that decides on several policies, or puts it together.
	 * @param time what defines the time
	 * @param policies the policies
	 * @return the script, or {@code null} if they are too many for one
	 */
	static ScriptCall.@Nullable Script together(String time, List<PolicyScript> policies) {
		if (policies.size() == 1) {
			return of(time, policies.get(0)).decide();
		}
		int limits = policies.stream().mapToInt((policy) -> policy.limits().size()).sum();
		int variables = limits * VARIABLES_OF_A_LIMIT + policies.size() * VARIABLES_OF_A_POLICY
				+ (int) policies.stream().filter(PolicyScript::bans).count() * VARIABLES_OF_A_BAN;
		if (limits > MOST_LIMITS || variables > MOST_VARIABLES) {
			return null;
		}
		String kinds = policies.stream().map(PolicyScript::kinds).collect(Collectors.joining("|"));
		String name = time + kinds;
		return (TOGETHER.size() >= MOST_TOGETHER) ? TOGETHER.get(name)
				: found(TOGETHER, name, () -> assembler(time, policies).assemble("decide"));
	}

	private static <T> T found(Map<String, T> scripts, String name, Supplier<T> assembly) {
		return scripts.computeIfAbsent(name, (missing) -> assembly.get());
	}

	private static ScriptAssembler assembler(String time, List<PolicyScript> policies) {
		return new ScriptAssembler(policies, ScriptSections.of(time), ScriptSections.ofFile("decide.lua"),
				ScriptSections.ofFile("refund.lua"), ScriptSections.ofFile("settle.lua"));
	}

}
