package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitOverride.Target;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrides.InForce;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the table of overrides as all instances have it, by asking the store once a
 * second. Guarded by the lock of the table. While the store cannot be asked, what was
 * last known stays in force.
 */
final class OverrideSharing {

	private final SharedOverrides shared;

	private final @Nullable RateLimitStoreAvailability availability;

	private final Map<String, StoreRateLimiter> limiters;

	private final OverrideTable table;

	private final OverrideLog log;

	private volatile SharedOverrides.@Nullable Snapshot snapshot;

	private boolean warned;

	private @Nullable ScheduledThreadPoolExecutor executor;

	OverrideSharing(SharedOverrides shared, @Nullable RateLimitStoreAvailability availability,
			Map<String, StoreRateLimiter> limiters, OverrideTable table, OverrideLog log) {
		this.shared = shared;
		this.availability = availability;
		this.limiters = limiters;
		this.table = table;
		this.log = log;
	}

	/**
	 * Reads what is in force, and goes on reading.
	 */
	void start() {
		poll();
		synchronized (this) {
			if (this.executor == null) {
				this.executor = new ScheduledThreadPoolExecutor(1, new BackgroundThreads("ratelimit-overrides"));
				this.executor.scheduleWithFixedDelay(this::survive, 1, 1, TimeUnit.SECONDS);
			}
		}
	}

	/*
	 * An executor never again calls what has failed once. A class that is missing, or
	 * memory, may be there the next time.
	 */
	private void survive() {
		try {
			poll();
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
		synchronized (this.table) {
			boolean first = this.snapshot == null;
			Set<Long> before = versions();
			try {
				if (read() && (first ? this.warned : !before.equals(versions()))) {
					this.log.read(first, this.table.list().size());
				}
				isOutage(false);
			}
			catch (RuntimeException ex) {
				if (!isOutage(true) && first && !this.warned) {
					this.warned = true;
					this.log.unreadable(ex);
				}
			}
		}
	}

	/*
	 * As their writers have given them.
	 */
	private Set<Long> versions() {
		return this.table.list().stream().map(InForce::version).collect(Collectors.toSet());
	}

	/*
	 * The store says so itself, once it is asked: where there are no requests, no one
	 * else notices when it begins or ends.
	 */
	private boolean isOutage(boolean failed) {
		RateLimitStoreAvailability availability = this.availability;
		if (availability == null) {
			return false;
		}
		if (failed || !availability.isAvailable()) {
			availability.check();
		}
		return !availability.isAvailable();
	}

	/*
	 * The known version is only worth something together with what was read with it. What
	 * could not be applied is read again.
	 */
	private boolean read() {
		SharedOverrides.Snapshot known = this.snapshot;
		SharedOverrides.Snapshot read = this.shared
			.read((known != null) ? known.version() : SharedOverrides.ANY_VERSION, this.table.time::set);
		this.table.removeEnded();
		if (read == null) {
			return false;
		}
		this.snapshot = read;
		try {
			applyAgain();
		}
		catch (RuntimeException | Error ex) {
			this.snapshot = known;
			this.log.lookFailed(ex);
			throw ex;
		}
		return true;
	}

	/**
	 * Puts in force what was read last, of policies too that were defined since.
	 */
	void applyAgain() {
		SharedOverrides.Snapshot known = this.snapshot;
		if (known == null) {
			return;
		}
		synchronized (this.table) {
			List<InForce> entries = new ArrayList<>();
			known.entries().forEach((name, written) -> {
				InForce inForce = inForce(name, written);
				if (inForce != null && !this.table.hasEnded(inForce)) {
					entries.add(inForce);
				}
			});
			this.table.replaceAll(entries);
		}
	}

	/*
	 * An override of a known version is what is in force already. Its end is the store's
	 * all the same: a writer reckons it by what it knows of the store's time.
	 */
	private @Nullable InForce inForce(String name, SharedOverrides.Entry written) {
		try {
			Target target = OverrideText.target(name);
			StoreRateLimiter limiter = this.limiters.get(target.policy());
			if (limiter == null) {
				throw new IllegalArgumentException("there is no such policy here");
			}
			if (target.plan() != null && !limiter.policy().plans().containsKey(target.plan())) {
				throw new IllegalArgumentException("the policy has no such plan here");
			}
			InForce known = this.table.get(target);
			if (known != null && known.version() == written.version()) {
				return new InForce(known.override(), known.version(), known.since(), OverrideText.end(written));
			}
			InForce read = OverrideText.read(target, written);
			limiter.versions.version(read.override());
			return read;
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
	 */
	SharedOverrides.Written write(Target target, @Nullable String text, @Nullable Duration lasts, long expectedVersion,
			long most) {
		try {
			return this.shared.write(OverrideText.name(target), text, lasts, expectedVersion,
					(int) Math.min(Integer.MAX_VALUE, most));
		}
		catch (RuntimeException ex) {
			throw new RateLimitOverrideException(RateLimitOverrideException.Reason.UNAVAILABLE,
					"The store that all instances share has not answered. It is not known whether the change was made",
					null, ex);
		}
	}

}
