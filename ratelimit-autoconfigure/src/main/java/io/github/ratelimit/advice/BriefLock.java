package io.github.ratelimit.advice;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lock that is held for a fraction of a microsecond by many and for longer by few. It
 * costs less than one that threads can wait for.
 */
final class BriefLock {

	private final AtomicBoolean held = new AtomicBoolean();

	/**
	 * Takes the lock, unless another thread has it for longer than some tries take.
	 */
	boolean tryLock(int tries) {
		for (int i = 0; i < tries; i++) {
			if (!this.held.getOpaque() && this.held.compareAndSet(false, true)) {
				return true;
			}
			Thread.onSpinWait();
		}
		return false;
	}

	void lock() {
		while (!tryLock(1)) {
			Thread.yield();
		}
	}

	void unlock() {
		this.held.setRelease(false);
	}

}
