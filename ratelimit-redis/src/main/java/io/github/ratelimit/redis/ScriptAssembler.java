package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.Assert;

/**
 * Puts a script together from sections, so that a decision runs straight through: without
 * functions and tables, unless a log is searched, requests wait or keys are banned. The
 * text depends on the kinds of the limits and on nothing else, so that a server keeps one
 * script for all policies of the same kinds; numbers are arguments. The names of a policy
 * end with {@code _p}, those of a limit with {@code _n}.
 */
final class ScriptAssembler {

	/*
	 * A state begins with the moment at which it was written, and that of its expiry.
	 */
	static final int HEADER = 7 + 4;

	private static final String HEADER_FORMAT = "I7I4";

	/*
	 * Groups of at most seven values. More in one call would leave too few of a Lua
	 * function's 250 registers.
	 */
	private static final int PACKED_AT_ONCE = 8;

	private final ScriptScope script;

	private int limits;

	private int keys;

	/**
	 * Creates an assembler.
	 * @param policies the policies
	 * @param files the files that are not a policy's or a limit's own
	 */
	ScriptAssembler(List<PolicyScript> policies, String... files) {
		this.script = new ScriptScope(Stream.concat(Stream.of("server-time.lua"), Stream.of(files)).toList());
		for (int i = 0; i < policies.size(); i++) {
			add(policies.get(i), i + 1);
		}
	}

	private void add(PolicyScript policy, int number) {
		List<String> files = policy.bans() ? List.of("policy.lua", "ban.lua") : List.of("policy.lua");
		ScriptScope scope = this.script.add("_p", number, files);
		this.keys++;
		int key = this.keys;

		Packed state = new Packed().add(HEADER_FORMAT, "now, expires");
		int end = HEADER;
		for (LimitScript limit : policy.limits) {
			end = add(limit, scope, end + 1, state);
		}
		int ofBan = 0;
		if (policy.bans()) {
			ofBan = PolicyScript.NUMBERS_OF_BAN * Double.BYTES;
			this.keys++;
		}

		String numbers = scope.format("numbers");
		int ofLimits = numbers.length() * Double.BYTES;
		scope.define("NUMBER", number)
			.define("KEY", key)
			.define("LAST_KEY", this.keys)
			.define("NUMBERS", scope.list("numbers"))
			.define("NUMBERS_FORMAT", "'<" + numbers + "'")
			.define("BAN", ofLimits + 1)
			.define("LENGTH", ofLimits + ofBan)
			.define("STATE", state)
			.define("END", end);
	}

	/*
	 * Returns where the limit's part of the state ends. The first one reads the header
	 * with its own.
	 */
	private int add(LimitScript limit, ScriptScope policy, int begin, Packed state) {
		int number = policy.inner.size() + 1;
		boolean isFirst = number == 1;
		this.limits++;
		ScriptScope scope = policy.add("_n", this.limits, files(limit, isFirst)).require(LimitScript.SECTIONS);
		checkVariables(limit, scope);
		if (limit.keepsLog()) {
			this.keys++;
		}

		scope.define("KIND", (int) limit.kind.letter)
			.define("KINDS", LimitScript.Kind.letters())
			.define("SIZES", LimitScript.Kind.sizes());
		String format = scope.format("state").replaceFirst("d", "B");
		state.add(format, scope.list("state"));
		int end = begin + Double.BYTES * (format.length() - 1);
		Assert.state(end - begin + 1 == limit.kind.size, () -> "The state of " + limit.files + " takes "
				+ (end - begin + 1) + " bytes, and LimitScript.Kind." + limit.kind + " says " + limit.kind.size);
		scope.define("BEGIN", begin)
			.define("END", end)
			.define("SIZE", limit.kind.size)
			.define("KEY", this.keys)
			.define("TAKEN", "LENGTH_p + " + (1 + Double.BYTES * (2 * number - 1)))
			.define("VARIABLES", scope.list("variables"))
			.define("MAX_TAKEN", limit.maxTaken());
		if (isFirst) {
			scope.define("HEADER", "written, expires_p, ")
				.define("FORMAT", "'<" + HEADER_FORMAT + format + "'")
				.define("FROM", 1);
		}
		else {
			scope.define("HEADER", "").define("FORMAT", "'<" + format + "'").define("FROM", begin);
		}
		return end;
	}

	/*
	 * A script that many limits share would have more variables than a Lua function may.
	 */
	private static void checkVariables(LimitScript limit, ScriptScope scope) {
		int variables = scope.format("numbers").length() + scope.format("variables").length();
		Assert.state(variables <= RateLimitScripts.VARIABLES_OF_A_LIMIT,
				() -> "The numbers and variables of " + limit.files + " are " + variables
						+ ", and RateLimitScripts.VARIABLES_OF_A_LIMIT says " + RateLimitScripts.VARIABLES_OF_A_LIMIT);
	}

	private static List<String> files(LimitScript limit, boolean isFirst) {
		List<String> files = new ArrayList<>(List.of("any-limit.lua"));
		if (isFirst) {
			files.add("first-limit.lua");
		}
		files.addAll(limit.files);
		return files;
	}

	ScriptCall.Script assemble(String section) {
		return ScriptCall.Script.of(text(section), text("repair-and-" + section));
	}

	private String text(String section) {
		StringBuilder text = new StringBuilder();
		this.script.include(section, text);
		return text.toString().replace("ANSWER", answer());
	}

	/*
	 * The moment, or of requests alike how many pass. Of each policy: of each limit, what
	 * it says of the request, the first one also of the key; if the policy bans, until
	 * when, and whether with this answer: how many times; and the numbers of each limit.
	 */
	private String answer() {
		Packed answer = new Packed().add(this.script.format("answer_head"), this.script.list("answer_head"));
		for (ScriptScope policy : this.script.inner) {
			policy.inner.forEach((limit) -> answer.add("B", limit.list("says")));
			if (!policy.list("ban").isEmpty()) {
				answer.add("dd", policy.list("ban"));
			}
			policy.inner.forEach((limit) -> answer.add(limit.format("answer"), limit.list("answer")));
		}
		return answer.toString();
	}

	/**
	 * Groups of values that become one text in a script.
	 */
	private static final class Packed {

		private final List<String> formats = new ArrayList<>();

		private final List<String> values = new ArrayList<>();

		Packed add(String format, String values) {
			this.formats.add(format);
			this.values.add(values);
			return this;
		}

		@Override
		public String toString() {
			List<String> calls = new ArrayList<>();
			for (int from = 0; from < this.formats.size(); from += PACKED_AT_ONCE) {
				int to = Math.min(this.formats.size(), from + PACKED_AT_ONCE);
				calls.add("pack('<" + String.join("", this.formats.subList(from, to)) + "', "
						+ String.join(", ", this.values.subList(from, to)) + ")");
			}
			return String.join(" .. ", calls);
		}

	}

}
