package io.github.ratelimit.benchmarks.redis;

import java.util.Set;

/**
 * What a Redis server has done, by its own account.
 *
 * @param cpuMicros processor time of all its threads
 * @param scripts how many scripts clients have called
 * @param commands how many commands it has run, those that scripts call included
 */
record ServerCounters(double cpuMicros, long scripts, long commands) {

	private static final String COMMAND = "cmdstat_";

	private static final Set<String> SCRIPTS = Set.of("eval", "evalsha", "eval_ro", "evalsha_ro");

	/*
	 * What looking costs, and what clients send of their own accord.
	 */
	private static final Set<String> OTHERS = Set.of("info", "ping");

	static ServerCounters of(String info) {
		double seconds = 0;
		long scripts = 0;
		long commands = 0;
		for (String line : info.lines().toList()) {
			if (line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:")) {
				seconds += Double.parseDouble(line.substring(line.indexOf(':') + 1));
			}
			else if (line.startsWith(COMMAND)) {
				String name = line.substring(COMMAND.length(), line.indexOf(':'));
				long calls = Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(',')));
				scripts += SCRIPTS.contains(name) ? calls : 0;
				commands += OTHERS.contains(name) ? 0 : calls;
			}
		}
		return new ServerCounters(seconds * 1_000_000, scripts, commands);
	}

	ServerCounters since(ServerCounters earlier) {
		return new ServerCounters(this.cpuMicros - earlier.cpuMicros, this.scripts - earlier.scripts,
				this.commands - earlier.commands);
	}

}
