package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride.Target;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides.InForce;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of all policies. If the store shares them, they are as all instances have
 * them, by asking it once a second; while it cannot be asked, what was last known stays
 * in force. Guarded by its own lock; decisions only see what it publishes to their
 * policy.
 */
final class OverrideTable {

	private final Map<Target, InForce> entries = new LinkedHashMap<>();

	private final Map<String, StoreRateLimiter> limiters;

	final @Nullable SharedOverrides shared;

	private final @Nullable RateLimitStoreAvailability availability;

	private final OverrideLog log;

	final StoreTime time;

	/* What was read last, unless nothing was. */
	private @Nullable Map<String, SharedOverrides.Entry> written;

	private long knownVersion = SharedOverrides.ANY_VERSION;

	private boolean warned;

	/* Of this instance alone. */
	private long lastVersion;

	private @Nullable ScheduledThreadPoolExecutor executor;

	/**
	 * Creates an empty table.
	 * @param limiters the policies by name
	 * @param store where the policies are open
	 * @param clock the time of ends, unless the store tells its own
	 * @param log is told what others change
	 */
	OverrideTable(Map<String, StoreRateLimiter> limiters, RateLimitStore store, RateLimitClock clock, OverrideLog log) {
		this.limiters = limiters;
		this.shared = store.sharedOverrides();
		this.availability = store.availability();
		this.time = new StoreTime(clock);
		this.log = log;
	}

	/**
	 * The limiter of a target.
	 * @throws RuntimeException if there is no such policy or plan
	 */
	StoreRateLimiter limiter(Target target) {
		StoreRateLimiter limiter = this.limiters.get(target.policy());
		if (limiter == null) {
			throw InvalidRateLimitException.unknownPolicy(target.policy(), this.limiters.keySet());
		}
		if (target.plan() != null && !limiter.policy().plans().containsKey(target.plan())) {
			throw new RateLimitOverrideException(Reason.UNKNOWN_PLAN,
					"The rate limit policy '" + target.policy() + "' has no plan named '" + target.plan() + "'", null,
					null);
		}
		return limiter;
	}

	/**
	 * The override of a target, unless it has ended.
	 */
	synchronized @Nullable InForce get(Target target) {
		InForce inForce = this.entries.get(target);
		return (inForce != null && !hasEnded(inForce)) ? inForce : null;
	}

	/**
	 * All overrides that have not ended.
	 */
	synchronized List<InForce> list() {
		return this.entries.values().stream().filter((inForce) -> !hasEnded(inForce)).toList();
	}

	private boolean hasEnded(InForce inForce) {
		Instant until = inForce.until();
		return until != null && !until.isAfter(this.time.moment());
	}

	/**
	 * Puts an override in force for its target, or none.
	 */
	void put(Target target, @Nullable InForce inForce) {
		this.entries.compute(target, (known, before) -> inForce);
		publish(target.policy());
	}

	private void replaceAll(List<InForce> all) {
		Set<String> policies = new LinkedHashSet<>();
		this.entries.keySet().forEach((target) -> policies.add(target.policy()));
		this.entries.clear();
		for (InForce inForce : all) {
			Target target = inForce.override().target();
			this.entries.put(target, inForce);
			policies.add(target.policy());
		}
		policies.forEach(this::publish);
	}

	/**
	 * Makes the overrides of a policy anew whose definition has changed: what they leave
	 * out is as the policy is defined now.
	 */
	synchronized void redefined(StoreRateLimiter limiter) {
		limiter.versions.forgetOverridden();
		publish(limiter.policy().name());
	}

	/*
	 * For every decision that begins from now on.
	 */
	private void publish(String policy) {
		StoreRateLimiter limiter = this.limiters.get(policy);
		if (limiter != null) {
			limiter.versions.override(this.entries.values()
				.stream()
				.filter((inForce) -> inForce.override().target().policy().equals(policy))
				.toList(), this.time);
		}
	}

	/**
	 * Has the store write an override, or that its target has none any more. Of this
	 * instance alone, only its version is given.
	 * @param most how many overrides there may be
	 */
	SharedOverrides.Written write(Target target, @Nullable String text, @Nullable Duration lasts, long expectedVersion,
			int most) {
		if (this.shared != null) {
			try {
				return this.shared.write(OverrideText.name(target), text, lasts, expectedVersion, most);
			}
			catch (RuntimeException ex) {
				throw new RateLimitOverrideException(Reason.UNAVAILABLE,
						"The store that all instances share has not answered. It is not known whether the change was made",
						null, ex);
			}
		}
		InForce before = get(target);
		if (expectedVersion != SharedOverrides.ANY_VERSION
				&& expectedVersion != ((before != null) ? before.version() : 0)) {
			return new SharedOverrides.Written(SharedOverrides.Outcome.CONFLICT, this.lastVersion);
		}
		if (text != null && before == null && list().size() >= most) {
			return new SharedOverrides.Written(SharedOverrides.Outcome.FULL, this.lastVersion);
		}
		return new SharedOverrides.Written(SharedOverrides.Outcome.DONE, ++this.lastVersion);
	}

	/**
	 * Reads what others have changed meanwhile, if the store can be asked, and removes
	 * what has ended.
	 */
	void refresh() {
		try {
			read();
		}
		catch (RuntimeException ex) {
			// the next writer is told
		}
	}

	/*
	 * The known version is only worth something together with what was read with it. What
	 * could not be put in force is read again.
	 */
	private boolean read() {
		SharedOverrides.Snapshot read = (this.shared != null) ? this.shared.read(this.knownVersion) : null;
		if (read != null) {
			this.time.set(read.nowNanos());
		}
		List<InForce> left = list();
		if (left.size() < this.entries.size()) {
			replaceAll(left);
		}
		if (read == null || read.entries() == null) {
			return false;
		}
		apply(read.entries());
		this.written = read.entries();
		this.knownVersion = read.version();
		return true;
	}

	/**
	 * Puts in force what was read last about policies that were defined since.
	 */
	synchronized void applyAgain() {
		if (this.written != null) {
			apply(this.written);
		}
	}

	private void apply(Map<String, SharedOverrides.Entry> read) {
		List<InForce> all = new ArrayList<>();
		read.forEach((name, written) -> {
			InForce inForce = inForce(name, written);
			if (inForce != null && !hasEnded(inForce)) {
				all.add(inForce);
			}
		});
		replaceAll(all);
	}

	/*
	 * An override of a known version is what is in force already. Its end is the store's
	 * all the same: a writer reckons it by what it knows of the store's time.
	 */
	private @Nullable InForce inForce(String name, SharedOverrides.Entry written) {
		try {
			Target target = OverrideText.target(name);
			StoreRateLimiter limiter = limiter(target);
			InForce known = get(target);
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
	 * Reads what is in force, and goes on reading, if the store shares it.
	 */
	synchronized void start() {
		if (this.shared == null || this.executor != null) {
			return;
		}
		poll();
		this.executor = new ScheduledThreadPoolExecutor(1, new BackgroundThreads("ratelimit-overrides"));
		this.executor.scheduleWithFixedDelay(this::follow, 1, 1, TimeUnit.SECONDS);
	}

	/*
	 * An executor never again calls what has failed once. A class that is missing, or
	 * memory, may be there the next time.
	 */
	private void follow() {
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

	private synchronized void poll() {
		boolean first = this.written == null;
		Set<Long> before = versions();
		try {
			if (read() && (first ? this.warned : !before.equals(versions()))) {
				this.log.read(first, list().size());
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

	/*
	 * As their writers have given them.
	 */
	private Set<Long> versions() {
		return list().stream().map(InForce::version).collect(Collectors.toSet());
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
