package io.github.ratelimit.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The script sections of one limit of a policy. In them {@code NAME_n} is one of the
 * limit's places, and {@code name_n} a variable of its own.
 */
final class LimitSections {

	/**
	 * The length of what a state begins with, before that of the limits.
	 */
	static final int HEADER = 7 + 4;

	static final String HEADER_FORMAT = "I7I4";

	private static final Pattern PLACE = Pattern.compile("\\b([A-Z_]+)_n\\b");

	private static final Pattern OWN = Pattern.compile("_n\\b");

	private final List<ScriptSections> files;

	private final Map<String, String> places;

	private final int number;

	private final int end;

	private final int key;

	/**
	 * Creates a limit's sections.
	 * @param limit the limit
	 * @param number its number in the script
	 * @param place its number in its policy
	 * @param before those of the limit before it in its policy, whose state comes first,
	 * or {@code null} if there is none
	 * @param policyKey the number of its policy's key
	 */
	LimitSections(LimitScript limit, int number, int place, @Nullable LimitSections before, int policyKey) {
		Stream<String> all = (before != null) ? Stream.of("any-limit.lua")
				: Stream.of("any-limit.lua", "first-limit.lua");
		this.files = Stream.concat(all, limit.files().stream()).map(ScriptSections::ofFile).toList();
		this.number = number;
		this.key = ((before != null) ? before.key : policyKey) + (limit.keepsLog() ? 1 : 0);
		int begin = (before != null) ? before.end + 1 : HEADER + 1;
		this.end = begin + Double.BYTES * (values("state").length - 1);
		this.places = new HashMap<>(Map.of("KIND", String.valueOf((int) limit.kind()), "BEGIN", String.valueOf(begin),
				"END", String.valueOf(this.end), "KEY", String.valueOf(this.key), "TAKEN",
				"LENGTH_p + " + (1 + Double.BYTES * (2 * place - 1)), "VARIABLES",
				own(String.join(", ", values("variables")))));
		boolean isFirst = before == null;
		this.places.put("MOST_TAKEN", own(limit.mostTaken()));
		this.places.put("SIZE", String.valueOf(this.end - begin + 1));
		this.places.put("HEADER", isFirst ? "written, expires_p, " : "");
		this.places.put("FORMAT", "'<" + (isFirst ? HEADER_FORMAT : "") + stateFormat() + "'");
		this.places.put("FROM", String.valueOf(isFirst ? 1 : begin));
	}

	/**
	 * Whether a line speaks of a limit.
	 */
	static boolean isOwn(String line) {
		return OWN.matcher(line).find();
	}

	/**
	 * A section's lines; none if the limit has no such section. A later file's stands for
	 * an earlier one's.
	 */
	List<String> lines(String name) {
		List<String> lines = List.of();
		for (ScriptSections file : this.files) {
			lines = file.has(name) ? file.lines(name) : lines;
		}
		return lines;
	}

	String[] values(String name) {
		return String.join(" ", lines(name)).split(", ");
	}

	/**
	 * A line that speaks of this limit.
	 */
	String text(String line) {
		Matcher place = PLACE.matcher(line);
		return own(place.replaceAll((found) -> ScriptSections.known(this.places, found.group(1), found.group())));
	}

	private String own(String line) {
		return OWN.matcher(line).replaceAll("_" + this.number);
	}

	/**
	 * The number of the limit's last key, or of that before.
	 */
	int key() {
		return this.key;
	}

	/**
	 * Where the limit's part of the state ends.
	 */
	int end() {
		return this.end;
	}

	/**
	 * How the limit's part of the state is packed: its kind, and numbers.
	 */
	String stateFormat() {
		return "B" + "d".repeat(values("state").length - 1);
	}

	/**
	 * How a section of numbers is packed.
	 */
	String format(String name) {
		return "d".repeat(values(name).length);
	}

	/**
	 * A section of values, as the arguments of a call.
	 */
	String list(String name) {
		return text(String.join(", ", values(name)));
	}

}
