package io.github.ratelimit.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine that figures are true of.
 */
final class Machine {

	private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

	private Machine() {
	}

	static String describe() {
		return "%d cores (%s), %s %s".formatted(Runtime.getRuntime().availableProcessors(), processor(),
				System.getProperty("os.name"), System.getProperty("os.arch"));
	}

	static String java() {
		return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
	}

	private static String processor() {
		try {
			return Files.readAllLines(PROCESSORS)
				.stream()
				.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).trim())
				.findFirst()
				.orElse("unknown processor");
		}
		catch (IOException ex) {
			return "unknown processor";
		}
	}

}
