package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the table of overrides as all instances have it, by asking the store once a
 * second. Guarded by the lock of the table. While the store cannot be asked, what was
 * last known stays in force.
 */
final class OverrideSharing {

	private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-overrides");

	private final SharedOverrides shared;

	private final @Nullable RateLimitStoreAvailability availability;

	private final Function<String, @Nullable StoreRateLimiter> limiters;

	private final OverrideTable table;

	private final StoreTime time;

	private final OverrideLog log;

	private volatile SharedOverrides.@Nullable Snapshot snapshot;

	private boolean warned;

	private @Nullable ScheduledThreadPoolExecutor executor;

	OverrideSharing(SharedOverrides shared, @Nullable RateLimitStoreAvailability availability,
			Function<String, @Nullable StoreRateLimiter> limiters, OverrideTable table, StoreTime time,
			OverrideLog log) {
		this.shared = shared;
		this.availability = availability;
		this.limiters = limiters;
		this.table = table;
		this.time = time;
		this.log = log;
	}

	/**
	 * Reads what is in force, and goes on reading.
	 * @param lock guards the table
	 */
	void start(Lock lock) {
		Runnable look = () -> {
			lock.lock();
			try {
				poll();
			}
			finally {
				lock.unlock();
			}
		};
		look.run();
		synchronized (this) {
			if (this.executor == null) {
				this.executor = new ScheduledThreadPoolExecutor(1, THREADS);
				this.executor.scheduleWithFixedDelay(() -> survive(look), 1, 1, TimeUnit.SECONDS);
			}
		}
	}

	/*
	 * An executor never again calls what has failed once. A class that is missing, or
	 * memory, may be there the next time.
	 */
	private void survive(Runnable look) {
		try {
			look.run();
		}
		catch (Throwable ex) {
			try {
				this.log.lookFailed(ex);
			}
			catch (Throwable unsaid) {
				// the memory may not even do for that
			}
		}
	}

	synchronized void stop() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	private void poll() {
		boolean first = this.snapshot == null;
		Set<Long> before = this.table.writtenVersions();
		try {
			boolean read = read();
			if (this.availability != null && !this.availability.isAvailable()) {
				this.availability.check();
			}
			if (!read) {
				return;
			}
		}
		catch (RuntimeException ex) {
			if (!isOutage() && first && !this.warned) {
				this.warned = true;
				this.log.unreadable(ex);
			}
			return;
		}
		if (!first && !before.equals(this.table.writtenVersions())) {
			this.log.changedElsewhere(this.table.all().size());
		}
		else if (first && this.warned) {
			this.log.readAtLast(this.table.all().size());
		}
	}

	/*
	 * The store says so itself, once it is asked: where there are no requests, nobody
	 * else notices.
	 */
	private boolean isOutage() {
		if (this.availability == null) {
			return false;
		}
		this.availability.check();
		return !this.availability.isAvailable();
	}

	/*
	 * The known version is only worth something together with what was read with it. What
	 * could not be applied is read again.
	 */
	private boolean read() {
		SharedOverrides.Snapshot known = this.snapshot;
		SharedOverrides.Snapshot read = this.shared
			.read((known != null) ? known.version() : SharedOverrides.ANY_VERSION, this.time::set);
		this.table.removeEnded();
		if (read == null) {
			return false;
		}
		this.snapshot = read;
		try {
			apply(read);
		}
		catch (RuntimeException | Error ex) {
			this.snapshot = known;
			this.log.lookFailed(ex);
			throw ex;
		}
		return true;
	}

	boolean knows(String policy) {
		SharedOverrides.Snapshot known = this.snapshot;
		return known != null && known.entries()
			.keySet()
			.stream()
			.anyMatch((name) -> name.equals(policy) || name.startsWith(policy + "/"));
	}

	void applyAgain() {
		SharedOverrides.Snapshot known = this.snapshot;
		if (known != null) {
			apply(known);
		}
	}

	private void apply(SharedOverrides.Snapshot read) {
		List<OverrideEntry> entries = new ArrayList<>();
		long now = this.time.nanos();
		read.entries().forEach((name, written) -> {
			OverrideEntry entry = entry(name, written);
			if (entry != null && !entry.hasEnded(now)) {
				entries.add(entry);
			}
		});
		this.table.replaceAll(entries);
	}

	/*
	 * An override of a known version is what is in force already. Its end is the store's
	 * all the same: a writer reckons it by what it knows of the store's time.
	 */
	private @Nullable OverrideEntry entry(String name, SharedOverrides.Entry written) {
		try {
			RateLimitOverride.Target target = OverrideText.target(name);
			StoreRateLimiter limiter = this.limiters.apply(target.policy());
			if (limiter == null) {
				this.log.ignored(name, "there is no such policy here");
				return null;
			}
			if (target.plan() != null && !limiter.policy().plans().containsKey(target.plan())) {
				this.log.ignored(name, "the policy has no such plan here");
				return null;
			}
			long end = (written.endNanos() != 0) ? written.endNanos() : OverrideEntry.NO_END;
			OverrideEntry known = this.table.get(target);
			if (known != null && known.inForce().version() == written.version()) {
				return known.until(end);
			}
			OverrideText text = OverrideText.read(target, written.text());
			return OverrideEntry.of(text, written.version(), end, this.table.version(limiter, text.override()));
		}
		catch (RuntimeException ex) {
			this.log.ignored(name, String.valueOf(ex.getMessage()));
			return null;
		}
	}

	/**
	 * Reads what others have changed meanwhile, if the store can be asked.
	 */
	void refresh() {
		try {
			read();
		}
		catch (RuntimeException ex) {
			// the next writer is told
		}
	}

	/**
	 * Writes an override, or that its target has none any more.
	 * @return the version of the change
	 */
	long write(RateLimitOverride.Target target, @Nullable OverrideText text, long expectedVersion, int maximumKeys) {
		long others = this.table.all().size() - this.table.keys();
		int most = (int) ((target.key() != null) ? Math.min(Integer.MAX_VALUE, maximumKeys + others)
				: Integer.MAX_VALUE);
		SharedOverrides.Written written;
		try {
			written = this.shared.write(OverrideText.name(target), (text != null) ? text.write() : null,
					(text != null) ? text.override().duration() : null, expectedVersion, most);
		}
		catch (RuntimeException ex) {
			throw new RateLimitOverrideException(RateLimitOverrideException.Reason.UNAVAILABLE,
					"The store that all instances share has not answered. It is not known whether the change was made",
					null, ex);
		}
		return switch (written.outcome()) {
			case DONE -> written.version();
			case FULL -> throw PolicyOverrides.full(maximumKeys);
			case CONFLICT -> {
				refresh();
				throw PolicyOverrides.conflict(this.table.get(target));
			}
		};
	}

	/**
	 * The time of the store, which its last answer has told, so that overrides end for
	 * all instances at once. Without such a store it is this process' time.
	 */
	static final class StoreTime implements RateLimitClock {

		private final RateLimitClock clock;

		private volatile long ahead;

		StoreTime(RateLimitClock clock) {
			this.clock = clock;
		}

		@Override
		public long nanos() {
			return this.clock.nanos() - this.ahead;
		}

		Instant moment() {
			return Instant.ofEpochSecond(0, nanos());
		}

		void set(long nanos) {
			this.ahead = this.clock.nanos() - nanos;
		}

	}

}
