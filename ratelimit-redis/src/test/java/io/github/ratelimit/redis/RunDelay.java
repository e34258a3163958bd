package io.github.ratelimit.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long the current thread could run and has no processor, which Linux counts.
 * Elsewhere it is never known to be longer than nothing.
 */
final class RunDelay {

	private static final Path COUNTS = Path.of("/proc/thread-self/schedstat");

	private static final boolean COUNTED = Files.isReadable(COUNTS);

	private final long before = count();

	private RunDelay() {
	}

	static RunDelay begin() {
		return new RunDelay();
	}

	/**
	 * How long it was, in nanoseconds, since the beginning.
	 */
	long nanos() {
		return count() - this.before;
	}

	/*
	 * The numbers are the time on a processor, that without one, and how often it ran.
	 */
	private static long count() {
		if (!COUNTED) {
			return 0;
		}
		try {
			return Long.parseLong(Files.readString(COUNTS).split(" ")[1]);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
