package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Puts a script together from sections, so that a decision runs straight through: no
 * functions, no tables. The text depends on the kinds of the limits and on nothing else,
 * so that a server keeps one script for all policies of the same kinds; numbers are
 * arguments.
 * <p>
 * A line {@code --> name} stands for the shared section of that name, for that of every
 * policy in turn, or for that of every limit in turn. In the section of a policy, any
 * line that has {@code _n} in it is repeated for each of its limits; in a shared one, for
 * every limit, and one that has {@code _p} in it for every policy.
 */
final class ScriptAssembler {

	private final List<PolicySections> policies = new ArrayList<>();

	private final List<LimitSections> limits = new ArrayList<>();

	private final List<ScriptSections> shared;

	private final String answer;

	/**
	 * Creates an assembler.
	 * @param policies the policies
	 * @param shared the sections of all files that are not a policy's or a limit's own
	 */
	ScriptAssembler(List<PolicyScript> policies, ScriptSections... shared) {
		this.shared = List.of(shared);
		int key = 1;
		for (PolicyScript each : policies) {
			PolicySections sections = new PolicySections(each, this.policies.size() + 1, key, this.limits.size(),
					this.shared);
			this.policies.add(sections);
			this.limits.addAll(sections.limits());
			key = sections.lastKey() + 1;
		}
		this.answer = answer(policies);
	}

	ScriptCall.Script assemble(String section) {
		return ScriptCall.Script.of(text(section), text("repair-and-" + section));
	}

	private String text(String section) {
		StringBuilder text = new StringBuilder();
		include(section, text);
		return text.toString();
	}

	private void include(String name, StringBuilder text) {
		for (ScriptSections sections : this.shared) {
			sections.lines(name).forEach((line) -> append(line, text));
		}
		this.policies.forEach((policy) -> policy.include(name, text));
	}

	private void append(String line, StringBuilder text) {
		if (line.startsWith(ScriptSections.INCLUDE)) {
			include(line.substring(ScriptSections.INCLUDE.length()), text);
		}
		else if (LimitSections.isOwn(line) || PolicySections.isOwn(line)) {
			this.policies.forEach((policy) -> policy.append(line, text));
		}
		else {
			text.append(line.replace("ANSWER", this.answer)).append('\n');
		}
	}

	/*
	 * The moment, negative if the key held something else than a state; whether each
	 * limit agrees; and the numbers of each. For several policies, also whose key that
	 * was. For those that ban, until when, and whether with this answer: how many times.
	 */
	private String answer(List<PolicyScript> policies) {
		int count = this.policies.size();
		String unreadable = numbered("unreadable_%d", " or ");
		String whose = (count > 1) ? numbered("unreadable_%d and 1 or 0", ", ") + ", " : "";
		String values = ((count > 1) ? "(" + unreadable + ")" : unreadable) + " and -now or now, " + whose
				+ PolicySections.joined(this.limits, ", ", (limit) -> limit.text("agrees_n and 1 or 0"))
				+ bans(policies);
		String format = "d" + "B".repeat(((count > 1) ? count : 0) + this.limits.size())
				+ "dd".repeat((int) policies.stream().filter(PolicyScript::bans).count());
		return PolicySections.packed(format, values, this.limits, (limit) -> limit.format("answer"),
				(limit) -> limit.list("answer"));
	}

	private static String bans(List<PolicyScript> policies) {
		return IntStream.range(0, policies.size())
			.filter((i) -> policies.get(i).bans())
			.mapToObj((i) -> ", until_%1$d, begun_%1$d".formatted(i + 1))
			.collect(Collectors.joining());
	}

	private String numbered(String text, String separator) {
		return IntStream.rangeClosed(1, this.policies.size())
			.mapToObj((number) -> text.replace("%d", String.valueOf(number)))
			.collect(Collectors.joining(separator));
	}

}
