package io.github.ratelimit.local;

/**
 * Keeps threads that want to change one state out of each other's way.
 * <p>
 * Who fails waits a moment, and longer each time, so that another has the state, and the
 * cache line that it is in, to itself meanwhile. Source: D. Dice, D. Hendler, I. Mirsky,
 * "Lightweight contention management for efficient compare-and-swap operations", Euro-Par
 * 2013.
 */
final class Backoff {

	private static final int SHORTEST_SPIN = 32;

	private static final int MOST_SPINNING = 4;

	private Backoff() {
	}

	/**
	 * Waits. Who has failed often gives way, because another may have been interrupted in
	 * the middle of a change.
	 * @param failures how often the thread has failed, from 1
	 */
	static void pause(int failures) {
		if (failures > MOST_SPINNING) {
			Thread.yield();
			return;
		}
		for (int i = 0; i < SHORTEST_SPIN << failures - 1; i++) {
			Thread.onSpinWait();
		}
	}

}
