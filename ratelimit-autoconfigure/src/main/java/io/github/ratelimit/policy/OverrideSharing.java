package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the table of overrides as all instances have it. Guarded by the lock of the
 * table. While the store cannot be asked, what was last known stays in force.
 */
final class OverrideSharing {

	/* As long as an answer may take: another time than this is a clock that was set. */
	private static final long SMALLEST_STEP = TimeUnit.MILLISECONDS.toNanos(100);

	private final SharedOverrides shared;

	private final @Nullable RateLimitStoreAvailability availability;

	private final Function<String, @Nullable StoreRateLimiter> limiters;

	private final OverrideTable table;

	private final RateLimitClock clock;

	private final OverrideLog log;

	private final OverridePolling polling;

	private volatile SharedOverrides.@Nullable Snapshot snapshot;

	/* What is to be added to the store's time for this process' clock. */
	private long clockAhead;

	private boolean warned;

	OverrideSharing(SharedOverrides shared, @Nullable RateLimitStoreAvailability availability,
			Function<String, @Nullable StoreRateLimiter> limiters, OverrideTable table, RateLimitClock clock,
			OverrideLog log) {
		this.shared = shared;
		this.availability = availability;
		this.limiters = limiters;
		this.table = table;
		this.clock = clock;
		this.log = log;
		this.polling = new OverridePolling(log);
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
		this.polling.start(look);
	}

	void stop() {
		this.polling.stop();
	}

	private void poll() {
		SharedOverrides.Snapshot before = this.snapshot;
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
			if (!isOutage() && before == null && !this.warned) {
				this.warned = true;
				this.log.unreadable(ex);
			}
			return;
		}
		if (before != null) {
			this.log.changedElsewhere(this.table.all().size());
		}
		else if (this.warned) {
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
		long ahead = this.clockAhead;
		SharedOverrides.Snapshot read = this.shared
			.read((known != null) ? known.version() : SharedOverrides.ANY_VERSION, this::compareClocks);
		if (read == null && ahead != this.clockAhead) {
			applyAgain();
		}
		this.table.removeEnded();
		if (read == null) {
			return false;
		}
		this.clockAhead = this.clock.nanos() - read.nowNanos();
		this.snapshot = read;
		try {
			apply(read, (known != null) ? known.entries() : Map.of());
		}
		catch (RuntimeException | Error ex) {
			this.snapshot = known;
			this.log.lookFailed(ex);
			throw ex;
		}
		return true;
	}

	private void compareClocks(long storeNanos) {
		long ahead = this.clock.nanos() - storeNanos;
		if (Math.abs(ahead - this.clockAhead) >= SMALLEST_STEP) {
			this.clockAhead = ahead;
		}
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
			apply(known, known.entries());
		}
	}

	/*
	 * What was read before is not read again, though it may be for a policy that was not
	 * there then.
	 */
	private void apply(SharedOverrides.Snapshot read, Map<String, SharedOverrides.Entry> before) {
		List<OverrideEntry> entries = new ArrayList<>();
		long now = this.clock.nanos();
		for (Map.Entry<String, SharedOverrides.Entry> each : read.entries().entrySet()) {
			OverrideEntry entry = entry(each.getKey(), each.getValue(),
					each.getValue().equals(before.get(each.getKey())));
			if (entry != null && !entry.hasEnded(now)) {
				entries.add(entry);
			}
		}
		this.table.replaceAll(entries);
	}

	private @Nullable OverrideEntry entry(String name, SharedOverrides.Entry written, boolean unchanged) {
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
			OverrideEntry known = unchanged ? this.table.get(target) : null;
			if (known != null) {
				return new OverrideEntry(known.inForce(), end(written), known.version());
			}
			OverrideText text = OverrideText.read(target, written.text());
			return entry(text, written, this.table.version(limiter, text.override()));
		}
		catch (RuntimeException ex) {
			this.log.ignored(name, String.valueOf(ex.getMessage()));
			return null;
		}
	}

	private OverrideEntry entry(OverrideText text, SharedOverrides.Entry written, PolicyVersion version) {
		long end = written.endNanos();
		return new OverrideEntry(new RateLimitOverrides.InForce(text.override(), written.version(), text.since(),
				(end != 0) ? PolicyOverrides.instant(end) : null), end(written), version);
	}

	private long end(SharedOverrides.Entry written) {
		long end = written.endNanos();
		return (end != 0) ? end + this.clockAhead : OverrideEntry.NO_END;
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

	OverrideEntry put(RateLimitOverride override, PolicyVersion version, long expectedVersion, int maximumKeys) {
		OverrideText text = new OverrideText(override, PolicyOverrides.instant(this.clock.nanos() - this.clockAhead));
		boolean ofKey = override.target().key() != null;
		long others = this.table.all().size() - this.table.keys();
		int most = (int) Math.min(Integer.MAX_VALUE, ofKey ? maximumKeys + others : Integer.MAX_VALUE);
		SharedOverrides.Written written = write(override.target(), text.write(), override.duration(), expectedVersion,
				most);
		if (written.outcome() == SharedOverrides.Outcome.FULL) {
			throw PolicyOverrides.full(maximumKeys);
		}
		OverrideEntry read = this.table.get(override.target());
		if (read != null && read.inForce().version() == written.version()) {
			return read;
		}
		OverrideEntry unread = unread(text, version, written.version());
		if (!isRead(written.version())) {
			this.table.put(unread);
		}
		return unread;
	}

	/*
	 * Once it is, the table has what became of a change, which another instance may have
	 * undone meanwhile.
	 */
	private boolean isRead(long version) {
		SharedOverrides.Snapshot known = this.snapshot;
		return known != null && known.version() >= version;
	}

	private OverrideEntry unread(OverrideText text, PolicyVersion version, long number) {
		Duration duration = text.override().duration();
		long now = this.clock.nanos() - this.clockAhead;
		return entry(text, new SharedOverrides.Entry("", number, (duration != null) ? now + duration.toNanos() : 0),
				version);
	}

	void remove(RateLimitOverride.Target target, long expectedVersion) {
		write(target, null, null, expectedVersion, Integer.MAX_VALUE);
	}

	private SharedOverrides.Written write(RateLimitOverride.Target target, @Nullable String text,
			@Nullable Duration lasts, long expectedVersion, int most) {
		SharedOverrides.Written written;
		try {
			written = this.shared.write(OverrideText.name(target), text, lasts, expectedVersion, most);
		}
		catch (RuntimeException ex) {
			throw new RateLimitOverrideException(RateLimitOverrideException.Reason.UNAVAILABLE,
					"The store that all instances share has not answered. It is not known whether the change was made",
					null, ex);
		}
		refresh();
		if (written.outcome() == SharedOverrides.Outcome.CONFLICT) {
			OverrideEntry current = this.table.get(target);
			throw PolicyOverrides.conflict((current != null) ? current.inForce() : null);
		}
		return written;
	}

	/**
	 * Looks for changes of other instances in the background: once each second.
	 */
	private static final class OverridePolling {

		private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-overrides");

		private final OverrideLog log;

		private @Nullable ScheduledThreadPoolExecutor executor;

		OverridePolling(OverrideLog log) {
			this.log = log;
		}

		synchronized void start(Runnable action) {
			if (this.executor != null) {
				return;
			}
			this.executor = new ScheduledThreadPoolExecutor(1, THREADS);
			this.executor.scheduleWithFixedDelay(() -> look(action), 1, 1, TimeUnit.SECONDS);
		}

		/*
		 * An executor never again calls what has failed once. A class that is missing, or
		 * memory, may be there the next time.
		 */
		private void look(Runnable action) {
			try {
				action.run();
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
			ScheduledThreadPoolExecutor executor = this.executor;
			if (executor != null) {
				executor.shutdownNow();
				this.executor = null;
			}
		}

	}

}
