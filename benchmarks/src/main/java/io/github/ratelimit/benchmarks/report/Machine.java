package io.github.ratelimit.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

import com.sun.management.OperatingSystemMXBean;

/**
 * The machine that figures are true of.
 */
public final class Machine {

	private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

	private static final long WATCHED_MILLIS = 2000;

	private static final double QUIET = 0.1;

	private Machine() {
	}

	static String describe() {
		return "%d cores (%s), %s %s".formatted(Runtime.getRuntime().availableProcessors(), processor(),
				System.getProperty("os.name"), System.getProperty("os.arch"));
	}

	/**
	 * What else the machine does while nothing is measured, because figures of a busy
	 * machine do not repeat.
	 * @return the other work, in words
	 * @throws InterruptedException if the thread is interrupted while it watches
	 */
	public static String otherWork() throws InterruptedException {
		OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		system.getCpuLoad();
		Thread.sleep(WATCHED_MILLIS);
		double cores = Math.max(0, system.getCpuLoad()) * Runtime.getRuntime().availableProcessors();
		return (cores < QUIET) ? "quiet" : "%.1f cores busy with other work".formatted(cores);
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
