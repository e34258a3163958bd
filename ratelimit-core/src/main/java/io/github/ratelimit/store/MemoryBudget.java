package io.github.ratelimit.store;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Keeps what is kept of keys, for all policies together, within a number of bytes.
 * <p>
 * Where there is no room, the policy that holds most evicts the keys that are least
 * likely to be used again. Therefore a flood of one policy evicts that policy's own keys,
 * and a policy that holds less than an equal share loses none.
 *
 * @since 0.1.0
 */
public final class MemoryBudget {

	private static final int PART_OF_THE_HEAP = 16;

	/* Evicting makes room for more than one key at a time. */
	private static final long MAX_SLACK = 64 << 10;

	private static final int SLACK_PART = 64;

	/*
	 * Caffeine was measured to take 114 to 189, and a map of Java's own less, depending
	 * on whether references are compressed and how full the map's table is.
	 */
	private static final long ENTRY = 192;

	private final AtomicLong used = new AtomicLong();

	private final List<Holder> holders = new CopyOnWriteArrayList<>();

	private final ReentrantLock evicting = new ReentrantLock();

	private final long maximum;

	/**
	 * Creates an unused budget.
	 * @param maximum how many bytes all keys may take together
	 */
	public MemoryBudget(long maximum) {
		this.maximum = maximum;
	}

	/**
	 * Creates an unused budget of a sixteenth of the heap.
	 * @return the budget
	 */
	public static MemoryBudget ofHeap() {
		return new MemoryBudget(Runtime.getRuntime().maxMemory() / PART_OF_THE_HEAP);
	}

	/**
	 * Estimates how many bytes of the heap a key takes without its value: its text, and
	 * its entry in a map. The estimate is never too low, also where references are not
	 * compressed and a text is not Latin.
	 * @param length the length of the key
	 * @return the bytes
	 */
	public static long ofEntry(int length) {
		return ENTRY + (long) Character.BYTES * length;
	}

	/**
	 * Returns how many bytes there are.
	 * @return the maximum
	 */
	public long maximum() {
		return this.maximum;
	}

	/**
	 * Returns how many bytes are taken.
	 * @return the number, which may be above the maximum until {@link #trim} is over
	 */
	public long used() {
		return this.used.get();
	}

	/**
	 * Adds something that takes bytes of the budget from now on.
	 * @param holder is asked to evict keys
	 */
	public void add(Holder holder) {
		this.holders.add(holder);
	}

	/**
	 * Counts bytes that are taken or, if negative, free again. May be called inside a
	 * map's operation; a caller that takes bytes calls {@link #trim} after it.
	 * @param bytes the number
	 */
	public void count(long bytes) {
		this.used.addAndGet(bytes);
	}

	/**
	 * Whether so much is used that keys may soon be evicted.
	 * @return {@code true} if more than half is
	 */
	public boolean isScarce() {
		return this.used.get() > this.maximum / 2;
	}

	/**
	 * Makes room if more than the maximum is used, and waits until there is. Must not be
	 * called inside a map's operation on a key.
	 * @param except a key that must stay, because it is being enlarged, or {@code null}
	 */
	public void trim(@Nullable String except) {
		if (this.used.get() <= this.maximum) {
			return;
		}

		this.evicting.lock();
		try {
			long goal = this.maximum - Math.min(MAX_SLACK, this.maximum / SLACK_PART);
			long excess = (this.used.get() > this.maximum) ? this.used.get() - goal : 0;
			while (excess > 0 && evict(excess, except)) {
				excess = this.used.get() - goal;
			}
		}
		finally {
			this.evicting.unlock();
		}
	}

	private boolean evict(long bytes, @Nullable String except) {
		return this.holders.stream()
			.sorted(Comparator.comparingLong(Holder::bytes).reversed())
			.anyMatch((holder) -> holder.evict(bytes, except));
	}

	/**
	 * Something that keeps keys of one policy.
	 */
	public interface Holder {

		/**
		 * Returns how many bytes the keys take.
		 * @return the number
		 */
		long bytes();

		/**
		 * Evicts the keys that are least likely to be used again, some at a time. Must
		 * not be called inside a map's operation on a key.
		 * @param toFree how many bytes are enough
		 * @param except a key that must stay, or {@code null}
		 * @return whether any key was evicted, or enough is free by now
		 */
		boolean evict(long toFree, @Nullable String except);

	}

}
