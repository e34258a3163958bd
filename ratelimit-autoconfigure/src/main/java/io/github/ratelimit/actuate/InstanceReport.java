package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * What an instance tells the others of itself: a line of its own, and one for each policy
 * that has decided something.
 *
 * @param process tells it from other processes of the same name
 * @param uptime how long it has been counting
 * @param policies what it has counted, by policy
 */
record InstanceReport(String process, Duration uptime, Map<String, PolicyCounts> policies) {

	private static final String SEPARATOR = "\t";

	/* No policy's name has a tab, and neither has any of its lines an end within. */
	String write() {
		StringJoiner lines = new StringJoiner("\n");
		lines.add(this.process + SEPARATOR + this.uptime.toMillis());
		this.policies.forEach((name, counts) -> lines.add(name + SEPARATOR + counts.write()));
		return lines.toString();
	}

	/**
	 * Reads what an instance has written.
	 * @throws RuntimeException if it is no such text, as of another version of the
	 * application
	 */
	static InstanceReport read(String text) {
		String[] lines = text.split("\n");
		String[] own = lines[0].split(SEPARATOR);
		Map<String, PolicyCounts> policies = new LinkedHashMap<>();
		for (int i = 1; i < lines.length; i++) {
			String[] parts = lines[i].split(SEPARATOR, 2);
			policies.put(parts[0], PolicyCounts.read(parts[1]));
		}
		return new InstanceReport(own[0], Duration.ofMillis(Long.parseLong(own[1])), policies);
	}

}
