package io.github.ratelimit.benchmarks.process;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import com.sun.management.OperatingSystemMXBean;

/**
 * The CPU time of the threads of this process, without those that compile its code: what
 * they do is a matter of how long the process runs. Only Linux tells it thread by thread,
 * and to the nanosecond.
 */
final class CpuTime {

	private static final Path THREADS = Path.of("/proc/self/task");

	private CpuTime() {
	}

	/**
	 * What the threads have taken that are still there.
	 * @return nanoseconds; where threads are not told apart, of all of them
	 */
	static long soFarNanos() {
		if (!Files.isDirectory(THREADS)) {
			OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
			return system.getProcessCpuTime();
		}

		long nanos = 0;
		try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
			for (Path thread : threads) {
				nanos += nanos(thread);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException("The CPU time of threads cannot be read", ex);
		}
		return nanos;
	}

	private static long nanos(Path thread) throws IOException {
		try {
			if (isCompiler(Files.readString(thread.resolve("comm")))) {
				return 0;
			}
			String used = Files.readString(thread.resolve("schedstat"));
			return Long.parseLong(used.substring(0, used.indexOf(' ')));
		}
		catch (NoSuchFileException ex) {
			// it has ended meanwhile
			return 0;
		}
	}

	private static boolean isCompiler(String name) {
		return name.startsWith("C1 Comp") || name.startsWith("C2 Comp");
	}

}
