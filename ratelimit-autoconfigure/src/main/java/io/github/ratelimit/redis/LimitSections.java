package io.github.ratelimit.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The script sections of one limit of a policy. In them {@code NAME_n} is one of the
 * limit's numbers, and {@code name_n} a variable of its own.
 */
final class LimitSections {

	private static final Pattern NUMBER = Pattern.compile("\\b([A-Z_]+)_n\\b");

	private static final Pattern OWN = Pattern.compile("_n\\b");

	private final ScriptSections sections;

	private final Map<String, Long> numbers = new HashMap<>();

	private final long number;

	private final long end;

	private final long keys;

	/**
	 * Creates a limit's sections.
	 * @param limit the limit
	 * @param before those of the limit before it, whose state comes first, if there is
	 * one
	 */
	LimitSections(LimitScript limit, @Nullable LimitSections before) {
		this.sections = ScriptSections.ofFile(limit.file());
		this.number = (before != null) ? before.number + 1 : 1;
		this.keys = ((before != null) ? before.keys : 1) + (limit.keepsLog() ? 1 : 0);
		long begin = (before != null) ? before.end + 1 : 1 + Double.BYTES;
		this.end = begin + Double.BYTES * (this.sections.values("state").length - 1);
		this.numbers.putAll(limit.numbers());
		this.numbers.putAll(Map.of("KIND", (long) limit.kind(), "CAPACITY", limit.capacity(), "NUMBER", this.number,
				"BEGIN", begin, "END", this.end, "KEY", this.keys));
	}

	/**
	 * Whether a line speaks of a limit.
	 */
	static boolean isOwn(String line) {
		return OWN.matcher(line).find();
	}

	void include(String name, StringBuilder text) {
		for (String line : this.sections.lines(name)) {
			append(line, text);
		}
	}

	void append(String line, StringBuilder text) {
		if (line.startsWith(ScriptAssembler.INCLUDE)) {
			include(line.substring(ScriptAssembler.INCLUDE.length()), text);
		}
		else {
			text.append(own(line)).append('\n');
		}
	}

	String own(String line) {
		Matcher constant = NUMBER.matcher(line);
		String numbered = constant.replaceAll((found) -> String.valueOf(number(found.group(1))));
		return OWN.matcher(numbered).replaceAll("_" + this.number);
	}

	private long number(String name) {
		Long found = this.numbers.get(name);
		if (found == null) {
			throw new IllegalStateException("A script names " + name + "_n, which its limit does not have");
		}
		return found;
	}

	/**
	 * How the limit's part of the state is packed: its kind, and numbers.
	 */
	String stateFormat() {
		return "B" + "d".repeat(this.sections.values("state").length - 1);
	}

	String answerFormat() {
		return "d".repeat(this.sections.values("answer").length);
	}

	/**
	 * A section of values, as the arguments of a call.
	 */
	String values(String name) {
		return own(String.join(", ", this.sections.values(name)));
	}

}
