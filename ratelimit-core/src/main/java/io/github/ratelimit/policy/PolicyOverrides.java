package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverride.Target;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of a registry's policies, which are checked, published to the policies,
 * logged, and told to those who observe changes. Each change is made under one lock. A
 * store that all instances share has the last word, and is asked each second for what
 * others have changed.
 */
final class PolicyOverrides implements RateLimitOverrides {

	private final OverrideLog log = new OverrideLog();

	/* Are told of each change that this instance makes. */
	final List<Consumer<OverrideChange>> observers = new CopyOnWriteArrayList<>();

	/* Fail with the mistake if a policy cannot have the numbers. */
	final List<Consumer<RateLimitPolicy>> checks = new CopyOnWriteArrayList<>();

	private final Map<Target, InForce> entries = new LinkedHashMap<>();

	private final Map<String, StoreRateLimiter> limiters;

	private final @Nullable SharedOverrides shared;

	private final @Nullable RateLimitStoreAvailability availability;

	private final RateLimitClock clock;

	/* How far this clock is ahead of the store's. */
	private volatile long ahead;

	private final int maximumKeys;

	/* What was read last, or null before the first read. */
	private @Nullable Map<String, SharedOverrides.Entry> written;

	private long knownVersion = SharedOverrides.ANY_VERSION;

	private boolean warned;

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
		this.shared = store.sharedOverrides();
		this.availability = store.availability();
		this.clock = clock;
		this.maximumKeys = maximumKeys;
	}

	@Override
	public synchronized InForce put(RateLimitOverride override, long expectedVersion) {
		Target target = override.target();
		StoreRateLimiter limiter = limiter(target);
		RateLimitPolicy after = limiter.versions.version(override).policy;
		this.checks.forEach((check) -> check.accept(after));
		look();
		RateLimitPolicy before = policy(limiter, target);
		Instant since = moment();
		Duration duration = override.duration();
		long version = write(target, OverrideText.write(override, since), duration, expectedVersion);
		InForce inForce = new InForce(override, version, since, (duration != null) ? moment().plus(duration) : null);
		this.entries.put(target, inForce);
		publish();
		record(new OverrideChange(inForce, false, before, after, override.who()));
		return inForce;
	}

	@Override
	public synchronized @Nullable InForce remove(Target target, long expectedVersion, @Nullable String who) {
		StoreRateLimiter limiter = limiter(target);
		look();
		InForce removed = find(target);
		RateLimitPolicy before = policy(limiter, target);
		write(target, null, null, expectedVersion);
		if (removed != null) {
			this.entries.remove(target);
			publish();
			record(new OverrideChange(removed, true, before, policy(limiter, target), who));
		}
		return removed;
	}

	private StoreRateLimiter limiter(Target target) {
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
	 * With the numbers that decide on the target.
	 */
	private RateLimitPolicy policy(StoreRateLimiter limiter, Target target) {
		InForce inForce = find(target);
		if (inForce != null) {
			return limiter.versions.policy(inForce.override());
		}
		return (target.key() != null) ? limiter.effectivePolicy(target.key()).policy()
				: limiter.versions.policy(target);
	}

	private void record(OverrideChange change) {
		this.log.add(change);
		this.observers.forEach((observer) -> OverrideLog.tell(() -> observer.accept(change)));
	}

	/*
	 * Has the store write an override, or that its target has none any more.
	 */
	private long write(Target target, @Nullable String text, @Nullable Duration lasts, long expectedVersion) {
		long others = inForce().stream().filter((each) -> each.override().target().key() == null).count();
		int most = (target.key() != null) ? (int) Math.min(Integer.MAX_VALUE, this.maximumKeys + others)
				: Integer.MAX_VALUE;
		SharedOverrides.Written written = (this.shared != null)
				? write(this.shared, target, text, lasts, expectedVersion, most)
				: writeHere(target, text, expectedVersion, most);
		return switch (written.outcome()) {
			case DONE -> written.version();
			case FULL -> throw new RateLimitOverrideException(Reason.FULL, "There are overrides of " + this.maximumKeys
					+ " keys already, which is the maximum. Take one back, or raise ratelimit.overrides.maximum-size",
					null, null);
			case CONFLICT -> {
				look();
				InForce current = find(target);
				throw new RateLimitOverrideException(Reason.CONFLICT,
						"Somebody else has changed the override meanwhile: "
								+ ((current != null) ? "its version is " + current.version() : "there is none now"),
						current, null);
			}
		};
	}

	private static SharedOverrides.Written write(SharedOverrides shared, Target target, @Nullable String text,
			@Nullable Duration lasts, long expectedVersion, int most) {
		try {
			return shared.write(OverrideText.name(target), text, lasts, expectedVersion, most);
		}
		catch (RuntimeException ex) {
			throw new RateLimitOverrideException(Reason.UNAVAILABLE,
					"The store that all instances share has not answered. It is not known whether the change was made",
					null, ex);
		}
	}

	/*
	 * Of this instance alone, an override only gets its version.
	 */
	private SharedOverrides.Written writeHere(Target target, @Nullable String text, long expectedVersion, int most) {
		InForce before = find(target);
		if (expectedVersion != ANY_VERSION && expectedVersion != ((before != null) ? before.version() : 0)) {
			return new SharedOverrides.Written(SharedOverrides.Outcome.CONFLICT, this.lastVersion);
		}
		if (text != null && before == null && inForce().size() >= most) {
			return new SharedOverrides.Written(SharedOverrides.Outcome.FULL, this.lastVersion);
		}
		return new SharedOverrides.Written(SharedOverrides.Outcome.DONE, ++this.lastVersion);
	}

	@Override
	public synchronized @Nullable InForce find(Target target) {
		InForce inForce = this.entries.get(target);
		return (inForce != null && !hasEnded(inForce)) ? inForce : null;
	}

	@Override
	public synchronized List<InForce> inForce() {
		return this.entries.values().stream().filter((inForce) -> !hasEnded(inForce)).toList();
	}

	private boolean hasEnded(InForce inForce) {
		Instant until = inForce.until();
		return until != null && !until.isAfter(moment());
	}

	@Override
	public boolean areShared() {
		return this.shared != null;
	}

	/*
	 * Keeps only those that have not ended and that their policies accept.
	 */
	private void replaceAll(List<InForce> all) {
		this.entries.clear();
		for (InForce inForce : all) {
			Target target = inForce.override().target();
			try {
				limiter(target).versions.version(inForce.override());
				this.entries.put(target, inForce);
			}
			catch (RuntimeException ex) {
				this.log.ignored(OverrideText.name(target), String.valueOf(ex.getMessage()));
			}
		}
		this.entries.values().removeIf(this::hasEnded);
		publish();
	}

	/**
	 * Makes the overrides of a policy anew whose definition has changed: what they leave
	 * out is as the policy is defined now.
	 */
	synchronized void redefined(StoreRateLimiter limiter) {
		limiter.versions.forgetOverridden();
		replaceAll(inForce());
		// what was ignored so far may be possible now
		this.knownVersion = SharedOverrides.ANY_VERSION;
	}

	/*
	 * For every decision that begins from now on.
	 */
	private void publish() {
		Map<String, List<InForce>> all = this.entries.values()
			.stream()
			.collect(Collectors.groupingBy((inForce) -> inForce.override().target().policy()));
		this.limiters
			.forEach((policy, limiter) -> limiter.versions.override(all.getOrDefault(policy, List.of()), this::nanos));
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
			try {
				all.add(OverrideText.read(name, written));
			}
			catch (RuntimeException ex) {
				this.log.ignored(name, String.valueOf(ex.getMessage()));
			}
		});
		replaceAll(all);
	}

	/**
	 * Reads what other instances have changed. Must never throw, or the scheduler would
	 * stop repeating it: a class that is missing, or memory, may be there the next time.
	 */
	void follow() {
		try {
			look();
		}
		catch (Throwable ex) {
			try {
				this.log.lookFailed(ex);
			}
			catch (Throwable unsaid) {
				// there may not even be enough memory to log it
			}
		}
	}

	/*
	 * Reads what others have changed meanwhile, if the store can be asked. It says itself
	 * that it is out of reach, once it is asked: where there are no requests, no one else
	 * notices when that begins or ends.
	 */
	private synchronized void look() {
		boolean first = this.written == null;
		Set<Long> before = versions();
		RuntimeException failure = null;
		try {
			if (read() && (first ? this.warned : !before.equals(versions()))) {
				this.log.read(first, inForce().size());
			}
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		RateLimitStoreAvailability availability = this.availability;
		if (availability != null && (failure != null || !availability.isAvailable())) {
			availability.check();
		}
		boolean said = availability != null && !availability.isAvailable();
		if (failure != null && first && !said && !this.warned) {
			this.warned = true;
			this.log.unreadable(failure);
		}
	}

	/*
	 * The versions that the writers assigned.
	 */
	private Set<Long> versions() {
		return inForce().stream().map(InForce::version).collect(Collectors.toSet());
	}

	/*
	 * The known version is only worth something together with what was read with it. What
	 * could not be put in force is read again.
	 */
	private boolean read() {
		SharedOverrides.Snapshot read = (this.shared != null) ? this.shared.read(this.knownVersion) : null;
		if (read != null) {
			this.ahead = this.clock.nanos() - read.nowNanos();
		}
		List<InForce> left = inForce();
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

	/*
	 * The time of the store, which its last answer has told, so that overrides end for
	 * all instances at once. Without such a store it is this process' time.
	 */
	private long nanos() {
		return this.clock.nanos() - this.ahead;
	}

	private Instant moment() {
		return Instant.ofEpochSecond(0, nanos());
	}

}
