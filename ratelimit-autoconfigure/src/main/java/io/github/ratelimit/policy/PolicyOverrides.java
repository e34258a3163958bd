package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of a registry's policies. Changes are made one after the other; decisions
 * never wait for them.
 */
final class PolicyOverrides implements RateLimitOverrides {

	private final ReentrantLock lock = new ReentrantLock();

	private final OverrideLog log = new OverrideLog();

	private final List<Consumer<OverrideChange>> observers = new CopyOnWriteArrayList<>();

	private final List<Consumer<RateLimitPolicy>> checks = new CopyOnWriteArrayList<>();

	private final Function<String, StoreRateLimiter> limiters;

	private final OverrideTable table;

	private final @Nullable OverrideSharing sharing;

	private final OverrideSharing.StoreTime time;

	private final int maximumKeys;

	/* Of this instance alone. */
	private long lastVersion;

	/**
	 * Creates overrides of which none is in force.
	 * @param limiters finds a policy, or fails with the mistake
	 * @param registered finds a policy, or returns {@code null}
	 * @param store where the policies are open
	 * @param clock the time of ends, unless the store shares overrides
	 * @param maximumKeys how many keys may have an override
	 * @param changed is told of a limiter that now does what it did not do before
	 */
	PolicyOverrides(Function<String, StoreRateLimiter> limiters,
			Function<String, @Nullable StoreRateLimiter> registered, RateLimitStore store, RateLimitClock clock,
			int maximumKeys, Consumer<StoreRateLimiter> changed) {
		this.limiters = limiters;
		this.time = new OverrideSharing.StoreTime(clock);
		this.maximumKeys = maximumKeys;
		this.table = new OverrideTable(this.time, changed, this.log);
		SharedOverrides shared = store.sharedOverrides();
		this.sharing = (shared != null)
				? new OverrideSharing(shared, store.availability(), registered, this.table, this.time, this.log) : null;
	}

	@Override
	public InForce put(RateLimitOverride override, long expectedVersion) {
		return locked(() -> {
			RateLimitOverride.Target target = override.target();
			StoreRateLimiter limiter = limiter(target);
			PolicyVersion version = this.table.version(limiter, override);
			this.checks.forEach((check) -> check.accept(version.policy));
			RateLimitPolicy before = policy(limiter, target, current(target));
			OverrideText text = new OverrideText(override, this.time.moment());
			long writtenVersion = write(target, text, expectedVersion);
			Duration duration = override.duration();
			long end = (duration != null) ? this.time.nanos() + duration.toNanos() : OverrideEntry.NO_END;
			OverrideEntry entry = OverrideEntry.of(text, writtenVersion, end, version);
			this.table.put(entry);
			record(new OverrideChange(entry.inForce(), false, before, version.policy, override.who()));
			return entry.inForce();
		});
	}

	/*
	 * As all instances have it.
	 */
	private @Nullable OverrideEntry current(RateLimitOverride.Target target) {
		if (this.sharing != null) {
			this.sharing.refresh();
		}
		return this.table.get(target);
	}

	/*
	 * With the numbers that decide on the target.
	 */
	private static RateLimitPolicy policy(StoreRateLimiter limiter, RateLimitOverride.Target target,
			@Nullable OverrideEntry entry) {
		if (entry != null) {
			return entry.version().policy;
		}
		return (target.key() != null) ? limiter.version(target.key()).policy() : OverrideTable.defined(limiter, target);
	}

	private void record(OverrideChange change) {
		this.log.add(change);
		this.observers.forEach((observer) -> this.log.tell(() -> observer.accept(change)));
	}

	/**
	 * Has an observer told of each change that this instance makes.
	 */
	void observe(Consumer<OverrideChange> observer) {
		this.observers.add(observer);
	}

	/**
	 * Has the numbers checked of each override that this instance is to put in force.
	 */
	void check(Consumer<RateLimitPolicy> check) {
		this.checks.add(check);
	}

	private long write(RateLimitOverride.Target target, @Nullable OverrideText text, long expectedVersion) {
		if (this.sharing != null) {
			return this.sharing.write(target, text, expectedVersion, this.maximumKeys);
		}
		OverrideEntry before = this.table.get(target);
		if (expectedVersion != ANY_VERSION && expectedVersion != ((before != null) ? before.inForce().version() : 0)) {
			throw conflict(before);
		}
		if (text != null && target.key() != null && before == null && this.table.keys() >= this.maximumKeys) {
			throw full(this.maximumKeys);
		}
		return ++this.lastVersion;
	}

	static RateLimitOverrideException full(int most) {
		return new RateLimitOverrideException(Reason.FULL, "There are overrides of " + most
				+ " keys already, which is the maximum. Take one back, or raise ratelimit.overrides.maximum-size", null,
				null);
	}

	static RateLimitOverrideException conflict(@Nullable OverrideEntry current) {
		InForce inForce = (current != null) ? current.inForce() : null;
		return new RateLimitOverrideException(Reason.CONFLICT,
				"Somebody else has changed the override meanwhile: "
						+ ((inForce != null) ? "its version is " + inForce.version() : "there is none now"),
				inForce, null);
	}

	@Override
	public @Nullable InForce remove(RateLimitOverride.Target target, long expectedVersion, @Nullable String who) {
		return lockedNullable(() -> {
			StoreRateLimiter limiter = limiter(target);
			OverrideEntry before = current(target);
			write(target, null, expectedVersion);
			if (before == null) {
				return null;
			}
			this.table.remove(before);
			record(new OverrideChange(before.inForce(), true, before.version().policy, policy(limiter, target, null),
					who));
			return before.inForce();
		});
	}

	private StoreRateLimiter limiter(RateLimitOverride.Target target) {
		StoreRateLimiter limiter = this.limiters.apply(target.policy());
		if (target.plan() != null && !limiter.policy().plans().containsKey(target.plan())) {
			throw new RateLimitOverrideException(Reason.UNKNOWN_PLAN,
					"The rate limit policy '" + target.policy() + "' has no plan named '" + target.plan() + "'", null,
					null);
		}
		return limiter;
	}

	@Override
	public @Nullable InForce find(RateLimitOverride.Target target) {
		return lockedNullable(() -> {
			OverrideEntry entry = this.table.get(target);
			return (entry != null) ? entry.inForce() : null;
		});
	}

	@Override
	public List<InForce> inForce() {
		return locked(() -> this.table.all()
			.stream()
			.filter((entry) -> !entry.hasEnded(this.time.nanos()))
			.map(OverrideEntry::inForce)
			.toList());
	}

	@Override
	public boolean areShared() {
		return this.sharing != null;
	}

	/**
	 * Puts in force what other instances have already said about a policy that is new
	 * here.
	 */
	void registered(StoreRateLimiter limiter) {
		OverrideSharing sharing = this.sharing;
		if (sharing != null && sharing.knows(limiter.policy().name())) {
			locked(() -> {
				sharing.applyAgain();
				return limiter;
			});
		}
	}

	/**
	 * Makes the overrides of a policy anew whose definition has changed.
	 */
	void redefined(StoreRateLimiter limiter) {
		locked(() -> {
			this.table.redefine(limiter);
			return limiter;
		});
	}

	/**
	 * Begins to follow what other instances change.
	 */
	void start() {
		OverrideSharing sharing = this.sharing;
		if (sharing != null) {
			sharing.start(this.lock);
		}
	}

	/**
	 * Follows no longer.
	 */
	void stop() {
		if (this.sharing != null) {
			this.sharing.stop();
		}
	}

	private <T> T locked(Supplier<T> action) {
		return Objects.requireNonNull(lockedNullable(action::get));
	}

	private <T> @Nullable T lockedNullable(Supplier<@Nullable T> action) {
		this.lock.lock();
		try {
			if (this.sharing == null) {
				this.table.removeEnded();
			}
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

}
