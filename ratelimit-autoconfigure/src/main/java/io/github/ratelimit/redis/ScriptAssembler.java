package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.ratelimit.InvalidRateLimitException;

/**
 * Puts a policy's scripts together from sections, so that a decision runs straight
 * through: no functions, no tables, no arguments that are the same for every decision.
 * <p>
 * A line {@code --> name} stands for the shared section of that name, or for that of
 * every limit in turn. In a shared section any other line that has {@code _n} in it is
 * repeated for every limit, {@code STATE} and {@code ANSWER} are what to pack of all
 * limits, and {@code CAPACITY} is the policy's.
 */
final class ScriptAssembler {

	static final String INCLUDE = "--> ";

	/* A Lua function has at most 200 variables. */
	private static final int MOST_LIMITS = 16;

	private final List<LimitSections> limits = new ArrayList<>();

	private final List<ScriptSections> shared;

	private final Map<String, String> texts;

	/**
	 * Creates an assembler.
	 * @param limits a policy's limits
	 * @param shared the sections of all files that are not a limit's own
	 */
	ScriptAssembler(List<LimitScript> limits, ScriptSections... shared) {
		if (limits.size() > MOST_LIMITS) {
			throw new InvalidRateLimitException("limits", limits.size(), "are more than Redis can decide on together",
					"Use at most " + MOST_LIMITS + " limits in one policy.");
		}
		LimitSections last = null;
		for (LimitScript limit : limits) {
			last = new LimitSections(limit, last);
			this.limits.add(last);
		}
		this.shared = List.of(shared);
		long capacity = limits.stream().mapToLong(LimitScript::capacity).min().orElseThrow();
		this.texts = Map.of("STATE", state(), "ANSWER", answer(), "CAPACITY", String.valueOf(capacity));
	}

	Script assemble(String section) {
		return Script.of(text(section), text("mend-and-" + section));
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
		this.limits.forEach((limit) -> limit.include(name, text));
	}

	private void append(String line, StringBuilder text) {
		if (line.startsWith(INCLUDE)) {
			include(line.substring(INCLUDE.length()), text);
		}
		else if (LimitSections.isOwn(line)) {
			this.limits.forEach((limit) -> limit.append(line, text));
		}
		else {
			text.append(shared(line)).append('\n');
		}
	}

	private String shared(String line) {
		String replaced = line;
		for (Map.Entry<String, String> each : this.texts.entrySet()) {
			replaced = replaced.replace(each.getKey(), each.getValue());
		}
		return replaced;
	}

	private String state() {
		String formats = joined("", LimitSections::stateFormat);
		return "'>d" + formats + "', expires, " + joined(", ", (limit) -> limit.values("state"));
	}

	/*
	 * The moment, negative if what was stored was not ours, what each limit says, and
	 * what is to be known of each.
	 */
	private String answer() {
		String formats = "d" + "B".repeat(this.limits.size()) + joined("", LimitSections::answerFormat);
		return "'>" + formats + "', strange and -now or now, "
				+ joined(", ", (limit) -> limit.own("agrees_n and 1 or 0")) + ", "
				+ joined(", ", (limit) -> limit.values("answer"));
	}

	private String joined(String separator, Function<LimitSections, String> part) {
		return this.limits.stream().map(part).collect(Collectors.joining(separator));
	}

}
