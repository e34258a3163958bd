package io.github.ratelimit.local;

/**
 * Backs off after a failed attempt to change a state.
 * <p>
 * Each pause is longer than the one before, so that another thread has the state, and its
 * cache line, to itself meanwhile. Source: D. Dice, D. Hendler, I. Mirsky, "Lightweight
 * contention management for efficient compare-and-swap operations", Euro-Par 2013.
 */
final class Backoff {

	private static final int MIN_SPIN = 32;

	private static final int MAX_SPINNING = 4;

	private Backoff() {
	}

	/**
	 * Pauses. After several failures the thread yields, because the thread that it waits
	 * for may have lost its processor in the middle of a change.
	 * @param failures how often this thread has failed, from 1
	 */
	static void pause(int failures) {
		if (failures > MAX_SPINNING) {
			Thread.yield();
			return;
		}
		for (int i = 0; i < MIN_SPIN << (failures - 1); i++) {
			Thread.onSpinWait();
		}
	}

}
