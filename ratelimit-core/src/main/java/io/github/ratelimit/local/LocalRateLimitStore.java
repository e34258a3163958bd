package io.github.ratelimit.local;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.support.BackgroundThreads;

/**
 * Keeps the state of every (policy, key) in this process, in a bounded Caffeine cache for
 * each policy, and all of them within a number of bytes. Keys are forgotten soon after
 * they are idle: when forgetting them changes no decision.
 *
 * @since 0.1.0
 */
public final class LocalRateLimitStore implements RateLimitStore, AutoCloseable {

	private static final long SWEPT_KEYS_A_SECOND = 500_000;

	private final RateLimitClock clock;

	private final long maximumSize;

	private final MemoryBudget memory;

	private final List<LocalKeys<?>> all = new CopyOnWriteArrayList<>();

	private final AtomicBoolean sweeping = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor sweeper = new ScheduledThreadPoolExecutor(1,
			new BackgroundThreads("ratelimit-sweeper"));

	/**
	 * Creates an empty store that may take a sixteenth of the heap.
	 * @param clock the time; if it steps back, that counts as time standing still
	 * @param maximumSize how many keys to keep for each policy, from 1
	 * @throws IllegalArgumentException if the maximum size is not positive
	 */
	public LocalRateLimitStore(RateLimitClock clock, long maximumSize) {
		this(clock, maximumSize, MemoryBudget.ofHeap().maximum());
	}

	/**
	 * Creates an empty store.
	 * @param clock the time; if it steps back, that counts as time standing still
	 * @param maximumSize how many keys to keep for each policy, from 1
	 * @param maximumMemory how many bytes the keys of all policies may take together,
	 * from 1
	 * @throws IllegalArgumentException if a maximum is not positive
	 */
	public LocalRateLimitStore(RateLimitClock clock, long maximumSize, long maximumMemory) {
		if (maximumSize < 1) {
			throw new IllegalArgumentException("The maximum number of keys must be at least 1, not " + maximumSize);
		}
		if (maximumMemory < 1) {
			throw new IllegalArgumentException("The maximum memory must be at least 1 byte, not " + maximumMemory);
		}
		this.clock = RateLimitClock.monotonic(clock);
		this.maximumSize = maximumSize;
		this.memory = new MemoryBudget(maximumMemory);
		this.sweeper.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	@Override
	public String name() {
		return "caffeine";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		LocalDecider decider = newDecider(policy);
		if (this.sweeping.compareAndSet(false, true)) {
			sweepLater();
		}
		return decider;
	}

	private LocalDecider newDecider(RateLimitPolicy policy) {
		LocalKeys<LocalState> keys = newKeys();
		RateLimitBan ban = policy.ban();
		if (ban == null) {
			return new LocalDecider(policy, keys);
		}
		return new BanningDecider(policy, keys, ban, new LocalBans(this::newKeys));
	}

	private <V extends LocalKeys.Value> LocalKeys<V> newKeys() {
		LocalKeys<V> keys = new LocalKeys<>(this.clock, this.maximumSize, this.memory);
		this.all.add(keys);
		return keys;
	}

	/**
	 * Provides memories of what another store decided for keys. They share the bytes of
	 * this store's keys, and each keeps as many keys as a policy may have.
	 * @return the provider of memories
	 */
	public KeyMemory.Provider memories() {
		return this::openMemory;
	}

	private <V> KeyMemory<V> openMemory(long bytes) {
		return new BoundedCache<>(this.maximumSize, this.memory) {

			@Override
			long bytesOf(String key, V value) {
				return MemoryBudget.ofEntry(key.length()) + bytes;
			}

		};
	}

	/**
	 * Forgets all idle keys. The store does so by itself about once a second; a test
	 * whose clock does not advance by itself calls it.
	 */
	public void forgetIdle() {
		for (LocalKeys<?> each : this.all) {
			each.forgetIdle();
		}
	}

	/*
	 * A cache that expires entries by itself records the time of every read, which costs
	 * more than the whole decision. A visit costs some nanoseconds a key, on no request's
	 * thread: every second, and less often where there are so many keys that the visits
	 * would cost a noticeable share of a processor.
	 */
	private void sweepLater() {
		if (!this.sweeper.isShutdown()) {
			long keys = 0;
			for (LocalKeys<?> each : this.all) {
				keys += each.map().size();
			}
			this.sweeper.schedule(this::sweep, 1 + keys / SWEPT_KEYS_A_SECOND, TimeUnit.SECONDS);
		}
	}

	private void sweep() {
		try {
			forgetIdle();
		}
		finally {
			sweepLater();
		}
	}

	@Override
	public boolean forgetAll() {
		this.all.forEach(LocalKeys::forgetAll);
		return true;
	}

	MemoryBudget memory() {
		return this.memory;
	}

	/**
	 * Stops forgetting idle keys. Decisions stay possible.
	 */
	@Override
	public void close() {
		this.sweeper.shutdown();
	}

}
