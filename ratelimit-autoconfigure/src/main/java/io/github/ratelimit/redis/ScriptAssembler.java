package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Puts a script together from sections, so that a decision runs straight through: no
 * functions, no tables. The text depends on the kinds of the limits and on nothing else,
 * so that a server keeps one script for all policies of the same kinds; numbers are
 * arguments. The names of a policy end with {@code _p}, those of a limit with {@code _n}.
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
		ScriptScope scope = this.script.add("_p", number,
				policy.bans() ? List.of("policy.lua", "ban.lua") : List.of("policy.lua"));
		int key = ++this.keys;
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
		scope.place("NUMBER", number)
			.place("KEY", key)
			.place("LAST_KEY", this.keys)
			.place("NUMBERS", scope.list("numbers"))
			.place("NUMBERS_FORMAT", "'<" + numbers + "'")
			.place("BAN", ofLimits + 1)
			.place("LENGTH", ofLimits + ofBan)
			.place("STATE", state)
			.place("END", end);
	}

	/*
	 * Returns where the limit's part of the state ends. The first one reads the header
	 * with its own.
	 */
	private int add(LimitScript limit, ScriptScope policy, int begin, Packed state) {
		int place = policy.inner.size() + 1;
		boolean isFirst = place == 1;
		Stream<String> all = isFirst ? Stream.of("any-limit.lua", "first-limit.lua") : Stream.of("any-limit.lua");
		ScriptScope scope = policy.add("_n", ++this.limits, Stream.concat(all, limit.files.stream()).toList());
		this.keys += limit.keepsLog() ? 1 : 0;
		scope.place("KIND", (int) limit.kind);
		String format = scope.format("state").replaceFirst("d", "B");
		state.add(format, scope.list("state"));
		int end = begin + Double.BYTES * (format.length() - 1);
		scope.place("BEGIN", begin)
			.place("END", end)
			.place("SIZE", end - begin + 1)
			.place("KEY", this.keys)
			.place("TAKEN", "LENGTH_p + " + (1 + Double.BYTES * (2 * place - 1)))
			.place("VARIABLES", scope.list("variables"))
			.place("MOST_TAKEN", limit.mostTaken())
			.place("HEADER", isFirst ? "written, expires_p, " : "")
			.place("FORMAT", "'<" + (isFirst ? HEADER_FORMAT : "") + format + "'")
			.place("FROM", isFirst ? 1 : begin);
		return end;
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
