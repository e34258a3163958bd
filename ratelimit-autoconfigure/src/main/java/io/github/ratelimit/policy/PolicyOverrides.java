package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

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

	final OverrideTable table;

	private final int maximumKeys;

	/**
	 * Creates overrides of which none is in force.
	 * @param limiters the policies by name
	 * @param store where the policies are open
	 * @param clock the time of ends, unless the store shares overrides
	 * @param maximumKeys how many keys may have an override
	 */
	PolicyOverrides(Map<String, StoreRateLimiter> limiters, RateLimitStore store, RateLimitClock clock,
			int maximumKeys) {
		this.maximumKeys = maximumKeys;
		this.table = new OverrideTable(limiters, store, clock, this.log);
	}

	@Override
	public InForce put(RateLimitOverride override, long expectedVersion) {
		synchronized (this.table) {
			RateLimitOverride.Target target = override.target();
			StoreRateLimiter limiter = this.table.limiter(target);
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
			StoreRateLimiter limiter = this.table.limiter(target);
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

	/*
	 * What all instances have.
	 */
	private @Nullable InForce refreshed(RateLimitOverride.Target target) {
		this.table.refresh();
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
		long others = this.table.list().stream().filter((each) -> each.override().target().key() == null).count();
		long most = (target.key() != null) ? this.maximumKeys + others : Integer.MAX_VALUE;
		SharedOverrides.Written written = this.table.write(target, text, lasts, expectedVersion,
				(int) Math.min(Integer.MAX_VALUE, most));
		return switch (written.outcome()) {
			case DONE -> written.version();
			case FULL -> throw full();
			case CONFLICT -> throw conflict(refreshed(target));
		};
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
		return this.table.get(target);
	}

	@Override
	public List<InForce> inForce() {
		return this.table.list();
	}

	@Override
	public boolean areShared() {
		return this.table.shared != null;
	}

}
