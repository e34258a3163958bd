package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The script sections of one policy of a request. In them {@code NAME_p} is one of the
 * policy's places, and {@code name_p} a variable of its own.
 */
final class PolicySections {

	/* More in one call would leave too few of a Lua function's 250 registers. */
	private static final int PACKED_AT_ONCE = 4;

	private static final Pattern PLACE = Pattern.compile("\\b([A-Z_]+)_p\\b");

	private static final Pattern OWN = Pattern.compile("_p\\b");

	private final List<ScriptSections> files;

	private final List<ScriptSections> shared;

	private final List<LimitSections> limits = new ArrayList<>();

	private final Map<String, String> places;

	private final int number;

	private final int lastKey;

	/**
	 * Creates a policy's sections.
	 * @param policy the policy
	 * @param number the policy's number in the script
	 * @param key the number of its state's key
	 * @param limitsBefore how many limits the policies before it have
	 * @param shared the sections of all files that are not a policy's or a limit's own
	 */
	PolicySections(PolicyScript policy, int number, int key, int limitsBefore, List<ScriptSections> shared) {
		this.files = Stream.concat(Stream.of("policy.lua"), policy.bans() ? Stream.of("ban.lua") : Stream.empty())
			.map(ScriptSections::ofFile)
			.toList();
		this.shared = shared;
		this.number = number;
		LimitSections last = null;
		for (LimitScript limit : policy.limits()) {
			int place = this.limits.size() + 1;
			last = new LimitSections(limit, limitsBefore + place, place, last, key);
			this.limits.add(last);
		}
		LimitSections end = this.limits.get(this.limits.size() - 1);
		this.lastKey = end.key() + (policy.bans() ? 1 : 0);
		String numbers = joined(this.limits, "", (limit) -> limit.format("numbers"));
		int ofLimits = numbers.length() * Double.BYTES;
		int ofBan = policy.bans() ? PolicyNumbers.BanNumbers.COUNT * Double.BYTES : 0;
		this.places = Map.of("BAN", String.valueOf(ofLimits + 1), "NUMBER", String.valueOf(number), "KEY",
				String.valueOf(key), "LAST_KEY", String.valueOf(this.lastKey), "NUMBERS",
				joined(this.limits, ", ", (limit) -> limit.list("numbers")), "NUMBERS_FORMAT", "'<" + numbers + "'",
				"LENGTH", String.valueOf(ofLimits + ofBan), "STATE", state(), "END", String.valueOf(end.end()));
	}

	int lastKey() {
		return this.lastKey;
	}

	List<LimitSections> limits() {
		return this.limits;
	}

	/**
	 * Whether a line speaks of a policy.
	 */
	static boolean isOwn(String line) {
		return OWN.matcher(line).find();
	}

	/**
	 * The section's own lines, and those of every limit.
	 */
	void include(String name, StringBuilder text) {
		lines(name).forEach((line) -> append(line, text));
		this.limits.forEach((limit) -> limit.lines(name).forEach((line) -> append(line, limit, text)));
	}

	private List<String> lines(String name) {
		List<String> lines = List.of();
		for (ScriptSections file : this.files) {
			lines = file.has(name) ? file.lines(name) : lines;
		}
		return lines;
	}

	void append(String line, StringBuilder text) {
		if (line.startsWith(ScriptSections.INCLUDE)) {
			String name = line.substring(ScriptSections.INCLUDE.length());
			this.shared.forEach((file) -> file.lines(name).forEach((each) -> append(each, text)));
			include(name, text);
		}
		else if (LimitSections.isOwn(line)) {
			this.limits.forEach((limit) -> append(line, limit, text));
		}
		else {
			text.append(own(line)).append('\n');
		}
	}

	private void append(String line, LimitSections limit, StringBuilder text) {
		if (line.startsWith(ScriptSections.INCLUDE)) {
			String name = line.substring(ScriptSections.INCLUDE.length());
			limit.lines(name).forEach((each) -> append(each, limit, text));
		}
		else {
			text.append(own(limit.text(line))).append('\n');
		}
	}

	private String own(String line) {
		Matcher place = PLACE.matcher(line);
		String placed = place.replaceAll((found) -> ScriptSections.known(this.places, found.group(1), found.group()));
		return OWN.matcher(placed).replaceAll("_" + this.number);
	}

	private String state() {
		return packed(LimitSections.HEADER_FORMAT, "now, expires", this.limits, LimitSections::stateFormat,
				(limit) -> limit.list("state"));
	}

	/**
	 * Calls that pack some values and then some of each limit, one behind the other.
	 */
	static String packed(String format, String values, List<LimitSections> limits,
			Function<LimitSections, String> formats, Function<LimitSections, String> lists) {
		List<String> calls = new ArrayList<>();
		for (int i = 0; i < limits.size(); i += PACKED_AT_ONCE) {
			List<LimitSections> some = limits.subList(i, Math.min(limits.size(), i + PACKED_AT_ONCE));
			String first = (i == 0) ? format : "";
			calls.add("pack('<" + first + joined(some, "", formats) + "', "
					+ ((i == 0 && !values.isEmpty()) ? values + ", " : "") + joined(some, ", ", lists) + ")");
		}
		return String.join(" .. ", calls);
	}

	static String joined(List<LimitSections> limits, String separator, Function<LimitSections, String> part) {
		return limits.stream().map(part).collect(Collectors.joining(separator));
	}

}
