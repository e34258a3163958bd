package io.github.ratelimit.benchmarks.process;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/**
 * The heap of this process.
 */
public final class Heap {

	private static final int COLLECTIONS = 3;

	private Heap() {
	}

	/**
	 * Collects garbage, once Caffeine has put its house in order in the background.
	 * @return the bytes that are in use
	 */
	public static long used() {
		ForkJoinPool.commonPool().awaitQuiescence(1, TimeUnit.SECONDS);
		Runtime runtime = Runtime.getRuntime();
		for (int i = 0; i < COLLECTIONS; i++) {
			System.gc();
		}
		return runtime.totalMemory() - runtime.freeMemory();
	}

}
