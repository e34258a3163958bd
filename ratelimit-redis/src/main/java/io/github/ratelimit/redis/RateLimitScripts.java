package io.github.ratelimit.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The scripts of all policies whose limits are of the same kinds. A server keeps them for
 * as long as it runs, however often the numbers change.
 *
 * @param decide decides on a request
 * @param decideAll decides on several requests
 * @param refund refunds what a request was given
 * @param settle takes what a request has used beyond that; of a policy that warns, it
 * tells what was left before and after
 */
record RateLimitScripts(ScriptCall.Script decide, ScriptCall.Script decideAll, ScriptCall.Script refund,
		ScriptCall.Script settle) {

	private static final int MAX_LIMITS = 16;

	/* A Lua function has at most 200 variables. */
	private static final int MAX_VARIABLES = 172;

	/**
	 * The most that a limit has, with its numbers.
	 */
	static final int VARIABLES_OF_A_LIMIT = 10;

	private static final int VARIABLES_OF_A_POLICY = 6;

	/* A ban's answer has variables, too. */
	private static final int VARIABLES_OF_A_BAN = 6;

	private static final int MAX_TOGETHER = 1000;

	private static final Map<String, RateLimitScripts> ALONE = new ConcurrentHashMap<>();

	private static final Map<List<String>, ScriptCall.Script> TOGETHER = new ConcurrentHashMap<>();

	/**
	 * Finds the scripts of a policy, or puts them together: also the one that most
	 * policies never need, because the thread that first does is the client's own, and
	 * others wait for it.
	 * @param policy the policy
	 */
	static RateLimitScripts of(PolicyScript policy) {
		return ALONE.computeIfAbsent(policy.kinds, (missing) -> {
			ScriptAssembler withoutBan = assembler(List.of(policy.withoutBan));
			String settle = policy.warns ? "settle-and-tell" : "settle";
			return new RateLimitScripts(assembler(List.of(policy)).assemble("decide"),
					new ScriptAssembler(List.of(policy), "decide.lua", "decide-all.lua").assemble("decide-all"),
					withoutBan.assemble("refund"), withoutBan.assemble(settle));
		});
	}

	/**
	 * Finds the script that decides on several policies, or puts it together.
	 * @param policies the policies
	 * @return the script, or {@code null} if they are too many for one
	 */
	static ScriptCall.@Nullable Script together(List<PolicyScript> policies) {
		List<String> kinds = policies.stream().map((policy) -> policy.kinds).toList();
		ScriptCall.Script known = TOGETHER.get(kinds);
		if (known != null || TOGETHER.size() >= MAX_TOGETHER || !fitOneScript(policies)) {
			return known;
		}
		return TOGETHER.computeIfAbsent(kinds, (missing) -> assembler(policies).assemble("decide"));
	}

	private static boolean fitOneScript(List<PolicyScript> policies) {
		int limits = policies.stream().mapToInt((policy) -> policy.limits.size()).sum();
		int variables = limits * VARIABLES_OF_A_LIMIT + policies.size() * VARIABLES_OF_A_POLICY
				+ (int) policies.stream().filter(PolicyScript::bans).count() * VARIABLES_OF_A_BAN;
		return limits <= MAX_LIMITS && variables <= MAX_VARIABLES;
	}

	private static ScriptAssembler assembler(List<PolicyScript> policies) {
		return new ScriptAssembler(policies, "decide.lua", "refund.lua", "settle.lua");
	}

}
