package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.github.ratelimit.InvalidRateLimitException;
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
 * The overrides of a registry's policies. Changes are made one after the other, under the
 * lock of the table; decisions never wait for them.
 */
final class PolicyOverrides implements RateLimitOverrides {

	private final OverrideLog log = new OverrideLog();

	/* Are told of each change that this instance makes. */
	final List<Consumer<OverrideChange>> observers = new CopyOnWriteArrayList<>();

	/* Fail with the mistake if a policy cannot have the numbers. */
	final List<Consumer<RateLimitPolicy>> checks = new CopyOnWriteArrayList<>();

	private final Map<String, StoreRateLimiter> limiters;

	private final OverrideTable table;

	private final @Nullable OverrideSharing sharing;

	private final int maximumKeys;

	/* Of this instance alone. */
	private long lastVersion;

	/**
	 * Creates overrides of which none is in force.
	 * @param limiters the policies by name
	 * @param store where the policies are open
	 * @param clock the time of ends, unless the store shares overrides
	 * @param maximumKeys how many keys may have an override
	 */
	PolicyOverrides(Map<String, StoreRateLimiter> limiters, RateLimitStore store, RateLimitClock clock,
			int maximumKeys) {
		this.limiters = limiters;
		this.maximumKeys = maximumKeys;
		this.table = new OverrideTable(limiters, clock);
		SharedOverrides shared = store.sharedOverrides();
		this.sharing = (shared != null)
				? new OverrideSharing(shared, store.availability(), limiters, this.table, this.log) : null;
	}

	@Override
	public InForce put(RateLimitOverride override, long expectedVersion) {
		synchronized (this.table) {
			RateLimitOverride.Target target = override.target();
			StoreRateLimiter limiter = limiter(target);
			RateLimitPolicy after = limiter.versions.version(override).policy;
			this.checks.forEach((check) -> check.accept(after));
			RateLimitPolicy before = policy(limiter, target, refreshed(target));
			Instant since = this.table.time.moment();
			Duration duration = override.duration();
			long version = write(target, OverrideText.write(override, since), duration, expectedVersion);
			InForce inForce = new InForce(override, version, since,
					(duration != null) ? this.table.time.moment().plus(duration) : null);
			this.table.put(target, inForce);
			record(new OverrideChange(inForce, false, before, after, override.who()));
			return inForce;
		}
	}

	@Override
	public @Nullable InForce remove(RateLimitOverride.Target target, long expectedVersion, @Nullable String who) {
		synchronized (this.table) {
			StoreRateLimiter limiter = limiter(target);
			InForce before = refreshed(target);
			write(target, null, null, expectedVersion);
			if (before != null) {
				RateLimitPolicy overridden = limiter.versions.policy(before.override());
				this.table.put(target, null);
				record(new OverrideChange(before, true, overridden, policy(limiter, target, null), who));
			}
			return before;
		}
	}

	private StoreRateLimiter limiter(RateLimitOverride.Target target) {
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

	/*
	 * What all instances have.
	 */
	private @Nullable InForce refreshed(RateLimitOverride.Target target) {
		if (this.sharing != null) {
			this.sharing.refresh();
		}
		else {
			this.table.removeEnded();
		}
		return this.table.get(target);
	}

	/*
	 * With the numbers that decide on the target.
	 */
	private static RateLimitPolicy policy(StoreRateLimiter limiter, RateLimitOverride.Target target,
			@Nullable InForce inForce) {
		if (inForce != null) {
			return limiter.versions.policy(inForce.override());
		}
		return (target.key() != null) ? limiter.version(target.key()).policy() : limiter.versions.policy(target);
	}

	private long write(RateLimitOverride.Target target, @Nullable String text, @Nullable Duration lasts,
			long expectedVersion) {
		InForce before = this.table.get(target);
		List<InForce> all = this.table.list();
		long keys = all.stream().filter((each) -> each.override().target().key() != null).count();
		if (this.sharing != null) {
			long most = (target.key() != null) ? this.maximumKeys + all.size() - keys : Integer.MAX_VALUE;
			SharedOverrides.Written written = this.sharing.write(target, text, lasts, expectedVersion, most);
			return switch (written.outcome()) {
				case DONE -> written.version();
				case FULL -> throw full();
				case CONFLICT -> throw conflict(refreshed(target));
			};
		}
		if (expectedVersion != ANY_VERSION && expectedVersion != ((before != null) ? before.version() : 0)) {
			throw conflict(before);
		}
		if (text != null && target.key() != null && before == null && keys >= this.maximumKeys) {
			throw full();
		}
		return ++this.lastVersion;
	}

	private RateLimitOverrideException full() {
		return new RateLimitOverrideException(Reason.FULL, "There are overrides of " + this.maximumKeys
				+ " keys already, which is the maximum. Take one back, or raise ratelimit.overrides.maximum-size", null,
				null);
	}

	private static RateLimitOverrideException conflict(@Nullable InForce inForce) {
		return new RateLimitOverrideException(Reason.CONFLICT,
				"Somebody else has changed the override meanwhile: "
						+ ((inForce != null) ? "its version is " + inForce.version() : "there is none now"),
				inForce, null);
	}

	private void record(OverrideChange change) {
		this.log.add(change);
		this.observers.forEach((observer) -> OverrideLog.tell(() -> observer.accept(change)));
	}

	@Override
	public @Nullable InForce find(RateLimitOverride.Target target) {
		synchronized (this.table) {
			return this.table.get(target);
		}
	}

	@Override
	public List<InForce> inForce() {
		synchronized (this.table) {
			return this.table.list();
		}
	}

	@Override
	public boolean areShared() {
		return this.sharing != null;
	}

	/**
	 * Puts in force what other instances have already said about a policy that is new
	 * here.
	 */
	void registered() {
		if (this.sharing != null) {
			this.sharing.applyAgain();
		}
	}

	/**
	 * Makes the overrides of a policy anew whose definition has changed: what they leave
	 * out is as the policy is defined now.
	 */
	void redefined(StoreRateLimiter limiter) {
		synchronized (this.table) {
			limiter.versions.forgetOverridden();
			this.table.publish(limiter.policy().name());
		}
	}

	/**
	 * Begins to follow what other instances change.
	 */
	void start() {
		if (this.sharing != null) {
			this.sharing.start();
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

}
