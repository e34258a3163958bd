package io.github.ratelimit.redis;

import java.util.List;

/**
 * The scripts of one policy. A server keeps them for as long as it runs, one pair for
 * each definition of a policy.
 *
 * @param decide decides on a request
 * @param giveBack gives back what a request was given
 */
record RateLimitScripts(Script decide, Script giveBack) {

	/**
	 * The sections {@code now} and {@code lifetime}.
	 */
	static final String SERVER_TIME = ScriptSections.read("server-time.lua");

	/**
	 * Puts the scripts together.
	 * @param time what defines the time
	 * @param limits a policy's limits
	 */
	static RateLimitScripts of(String time, List<LimitScript> limits) {
		ScriptAssembler assembler = new ScriptAssembler(limits, ScriptSections.of(time),
				ScriptSections.ofFile("decide.lua"), ScriptSections.ofFile("give-back.lua"),
				ScriptSections.ofFile("save.lua"));
		return new RateLimitScripts(assembler.assemble("decide"), assembler.assemble("give-back"));
	}

}
