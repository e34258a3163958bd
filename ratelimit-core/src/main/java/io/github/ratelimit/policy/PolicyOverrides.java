package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
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
 * logged, and reported to those who observe changes. Each change is made under one lock,
 * also while a store is asked, and those who read never wait for it. A store that all
 * instances share has the last word, and is asked each second for what others have
 * changed.
 */
final class PolicyOverrides implements RateLimitOverrides {

	/* A store that cannot be reached says so itself by then. */
	private static final int FAILED_READS = 10;

	private final OverrideLog log = new OverrideLog();

	/* They are notified of each change that this instance makes. */
	private final List<Consumer<OverrideChange>> observers = new CopyOnWriteArrayList<>();

	/* They fail with the mistake if a policy cannot have the numbers. */
	private final List<Consumer<RateLimitPolicy>> checks = new CopyOnWriteArrayList<>();

	/* It is never changed, but replaced under the lock. */
	private volatile Map<Target, InForce> entries = Map.of();

	private final Map<String, StoreRateLimiter> limiters;

	final PolicyInterventions interventions;

	private final @Nullable SharedOverrides shared;

	private final @Nullable RateLimitStoreAvailability availability;

	private final RateLimitClock clock;

	/* How far this clock is ahead of the store's. */
	private volatile long ahead;

	private final int maximumKeys;

	/* What was read last, or null before the first read. */
	private @Nullable Map<String, SharedOverrides.Entry> lastRead;

	private long knownVersion = SharedOverrides.ANY_VERSION;

	private boolean warned;

	/* Reads in a row that failed although the store could be reached. */
	private int failedReads;

	/*
	 * The last version that was given, where overrides are those of this instance alone.
	 */
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
		this.interventions = new PolicyInterventions(this, limiters, maximumKeys);
	}

	void observe(Consumer<OverrideChange> observer) {
		this.observers.add(observer);
	}

	void addCheck(Consumer<RateLimitPolicy> check) {
		this.checks.add(check);
	}

	@Override
	public InForce put(RateLimitOverride override, long expectedVersion) {
		return override(override, expectedVersion).inForce();
	}

	/**
	 * Puts an override in force, and tells what that has changed.
	 * @see #put(RateLimitOverride, long)
	 */
	synchronized OverrideChange override(RateLimitOverride override, long expectedVersion) {
		Target target = override.target();
		StoreRateLimiter limiter = limiter(target);
		RateLimitPolicy after = limiter.effectivePolicies.under(override).policy;
		this.checks.forEach((check) -> check.accept(after));

		readChanges();
		RateLimitPolicy before = policyInForce(limiter, target);
		Instant since = moment();
		Duration duration = override.duration();
		SharedOverrides.Written written = write(target, OverrideText.write(override, since), duration, expectedVersion);

		Instant until = (duration != null) ? moment().plus(duration) : null;
		InForce inForce = new InForce(override, written.version(), since, until);
		Map<Target, InForce> entries = new LinkedHashMap<>(this.entries);
		entries.put(target, inForce);
		replaceEntries(entries);
		publish(target.policy(), limiter);
		boolean replaced = written.before() != 0;
		OverrideChange change = new OverrideChange(inForce, false, replaced, before, after, override.who());
		report(change);
		return change;
	}

	@Override
	public @Nullable InForce remove(Target target, long expectedVersion, @Nullable String who) {
		return takeBack(target, expectedVersion, who).inForce();
	}

	/**
	 * Takes an override back, also one that this instance could not put in force.
	 * @see #remove(Target, long, String)
	 */
	synchronized Removal takeBack(Target target, long expectedVersion, @Nullable String who) {
		StoreRateLimiter limiter = limiter(target);
		readChanges();
		InForce removed = find(target);
		if (removed == null && expectedVersion == ANY_VERSION) {
			if (!provokesConflict(target)) {
				return new Removal(false, null);
			}
			readChanges();
			removed = find(target);
		}

		RateLimitPolicy before = policyInForce(limiter, target);
		SharedOverrides.Written written = write(target, null, null, expectedVersion);
		if (removed == null) {
			boolean wasThere = written.before() != 0;
			if (wasThere) {
				this.log.removedUnread(target, who);
			}
			return new Removal(wasThere, null);
		}

		Map<Target, InForce> entries = new LinkedHashMap<>(this.entries);
		entries.remove(target);
		replaceEntries(entries);
		publish(target.policy(), limiter);
		report(new OverrideChange(removed, true, true, before, policyInForce(limiter, target), who));
		return new Removal(true, removed);
	}

	private void replaceEntries(Map<Target, InForce> entries) {
		this.entries = Collections.unmodifiableMap(entries);
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
	 * The policy with the numbers that decide on the target.
	 */
	private RateLimitPolicy policyInForce(StoreRateLimiter limiter, Target target) {
		InForce inForce = find(target);
		if (inForce != null) {
			return limiter.effectivePolicies.policyUnder(inForce.override());
		}
		if (target.key() != null) {
			return limiter.effectivePolicies.numbers(target.key()).policy();
		}
		return limiter.effectivePolicies.policyToOverride(target);
	}

	private void report(OverrideChange change) {
		this.log.add(change);
		this.observers.forEach((observer) -> OverrideLog.notifyObserver(() -> observer.accept(change)));
	}

	/*
	 * Finds out, by a removal that is refused then, whether the store has an override
	 * that this instance does not know: another may have written it meanwhile, or what it
	 * says cannot be in force here.
	 */
	private boolean provokesConflict(Target target) {
		return tryToWrite(target, null, null, 0).outcome() == SharedOverrides.Outcome.CONFLICT;
	}

	/*
	 * Has the store write an override, or that its target has none any more.
	 */
	private SharedOverrides.Written write(Target target, @Nullable String text, @Nullable Duration lasts,
			long expectedVersion) {
		SharedOverrides.Written written = tryToWrite(target, text, lasts, expectedVersion);
		return switch (written.outcome()) {
			case DONE -> written;
			case FULL -> throw new RateLimitOverrideException(Reason.FULL, "There are overrides of " + this.maximumKeys
					+ " keys already, which is the maximum. Take one back, or raise ratelimit.overrides.maximum-size",
					null, null);
			case CONFLICT -> throw conflict(target);
		};
	}

	private SharedOverrides.Written tryToWrite(Target target, @Nullable String text, @Nullable Duration lasts,
			long expectedVersion) {
		if (this.shared != null) {
			return write(this.shared, OverrideText.name(target), text, lasts, expectedVersion, maximum(target));
		}
		return writeHere(target, text, expectedVersion);
	}

	private RateLimitOverrideException conflict(Target target) {
		readChanges();
		InForce current = find(target);
		String found = (current != null) ? "its version is " + current.version() : "there is none now";
		return new RateLimitOverrideException(Reason.CONFLICT,
				"Somebody else has changed the override meanwhile: " + found, current, null);
	}

	/*
	 * Only overrides of keys are bounded: those of policies and plans are by what is
	 * configured. Interventions, which a shared store counts with them, have a bound of
	 * their own.
	 */
	private int maximum(Target target) {
		if (target.key() == null) {
			return Integer.MAX_VALUE;
		}

		long others = inForce().stream().filter((each) -> each.override().target().key() == null).count();
		if (this.shared != null) {
			others += this.interventions.size();
		}
		return (int) Math.min(Integer.MAX_VALUE, this.maximumKeys + others);
	}

	/**
	 * Has the store write an intervention, or that there is none any more, whatever is
	 * there.
	 * @param name what it is called
	 * @param text the text, or {@code null} to remove it
	 * @param lasts how long it is in force, or {@code null} for no end
	 * @return whether there was room for it
	 */
	boolean writeIntervention(String name, @Nullable String text, @Nullable Duration lasts) {
		if (this.shared == null) {
			return true;
		}
		long most = Math.min(Integer.MAX_VALUE, (long) this.maximumKeys + inForce().size());
		return write(this.shared, name, text, lasts, ANY_VERSION, (int) most).outcome() != SharedOverrides.Outcome.FULL;
	}

	private static SharedOverrides.Written write(SharedOverrides shared, String name, @Nullable String text,
			@Nullable Duration lasts, long expectedVersion, int maximum) {
		try {
			return shared.write(name, text, lasts, expectedVersion, maximum);
		}
		catch (RuntimeException ex) {
			throw new RateLimitOverrideException(Reason.UNAVAILABLE,
					"The store that all instances share has not answered. It is not known whether the change was made",
					null, ex);
		}
	}

	/*
	 * An override of this instance alone only gets its version.
	 */
	private SharedOverrides.Written writeHere(Target target, @Nullable String text, long expectedVersion) {
		InForce known = find(target);
		long before = (known != null) ? known.version() : 0;
		if (expectedVersion != ANY_VERSION && expectedVersion != before) {
			return new SharedOverrides.Written(SharedOverrides.Outcome.CONFLICT, this.lastVersion, before);
		}
		if (text != null && known == null && inForce().size() >= maximum(target)) {
			return new SharedOverrides.Written(SharedOverrides.Outcome.FULL, this.lastVersion, before);
		}

		this.lastVersion++;
		return new SharedOverrides.Written(SharedOverrides.Outcome.DONE, this.lastVersion, before);
	}

	@Override
	public @Nullable InForce find(Target target) {
		InForce inForce = this.entries.get(target);
		return (inForce != null && !hasEnded(inForce)) ? inForce : null;
	}

	@Override
	public List<InForce> inForce() {
		return this.entries.values().stream().filter((inForce) -> !hasEnded(inForce)).toList();
	}

	private boolean hasEnded(InForce inForce) {
		return hasEnded(inForce.until());
	}

	boolean hasEnded(@Nullable Instant until) {
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
		Map<Target, InForce> accepted = new LinkedHashMap<>();
		for (InForce inForce : all) {
			Target target = inForce.override().target();
			try {
				limiter(target).effectivePolicies.under(inForce.override());
				accepted.put(target, inForce);
			}
			catch (RuntimeException ex) {
				this.log.ignored(OverrideText.name(target), String.valueOf(ex.getMessage()));
			}
		}
		accepted.values().removeIf(this::hasEnded);
		replaceEntries(accepted);
		publish();
	}

	/**
	 * Makes the overrides of a policy anew whose definition has changed: what they leave
	 * out is as the policy is defined now.
	 */
	synchronized void redefined(StoreRateLimiter limiter) {
		limiter.effectivePolicies.forgetOverridden();
		this.interventions.publish(limiter);
		replaceAll(inForce());
		// what was ignored so far may be possible now
		this.knownVersion = SharedOverrides.ANY_VERSION;
	}

	/*
	 * Puts the overrides in force for every decision that begins from now on.
	 */
	private void publish() {
		Map<String, List<InForce>> all = this.entries.values()
			.stream()
			.collect(Collectors.groupingBy((inForce) -> inForce.override().target().policy()));
		this.limiters.forEach((policy, limiter) -> limiter.effectivePolicies
			.replaceOverrides(all.getOrDefault(policy, List.of()), this::nanos));
	}

	/*
	 * Puts those of one policy in force, where the others have not changed.
	 */
	private void publish(String policy, StoreRateLimiter limiter) {
		List<InForce> ofPolicy = this.entries.values()
			.stream()
			.filter((inForce) -> inForce.override().target().policy().equals(policy))
			.toList();
		limiter.effectivePolicies.replaceOverrides(ofPolicy, this::nanos);
	}

	/**
	 * Puts in force what was read last about a policy that is defined only now. The
	 * others stay as they are: this instance may have changed them since.
	 */
	synchronized void applyTo(String policy) {
		Map<String, SharedOverrides.Entry> read = this.lastRead;
		if (read == null) {
			return;
		}
		List<InForce> all = overrides(read);
		all.removeIf((inForce) -> !inForce.override().target().policy().equals(policy));
		all.addAll(inForce());
		replaceAll(all);
		this.interventions.applyTo(policy, read);
	}

	private void apply(Map<String, SharedOverrides.Entry> read) {
		replaceAll(overrides(read));
		this.interventions.apply(read);
	}

	private List<InForce> overrides(Map<String, SharedOverrides.Entry> read) {
		List<InForce> overrides = new ArrayList<>();
		read.forEach((name, written) -> {
			try {
				if (!InterventionText.isName(name)) {
					overrides.add(OverrideText.read(name, written));
				}
			}
			catch (RuntimeException ex) {
				this.log.ignored(name, String.valueOf(ex.getMessage()));
			}
		});
		return overrides;
	}

	/**
	 * Reads what other instances have changed. Must never throw, or the scheduler would
	 * stop repeating it: a class that is missing, or memory, may be there the next time.
	 */
	void follow() {
		try {
			readChanges();
		}
		catch (Throwable ex) {
			try {
				this.log.readFailed(ex);
			}
			catch (Throwable unlogged) {
				// there may not even be enough memory to log it
			}
		}
	}

	/*
	 * Reads what others have changed meanwhile, if the store can be asked. The store logs
	 * itself that it is out of reach, once it is asked: where there are no requests, no
	 * one else notices when that begins or ends.
	 */
	synchronized void readChanges() {
		boolean first = this.lastRead == null;
		RuntimeException failure = tryToRead(first);

		RateLimitStoreAvailability availability = this.availability;
		if (availability != null && (failure != null || !availability.isAvailable())) {
			availability.check();
		}
		if (failure == null) {
			this.failedReads = 0;
		}
		else if (availability == null || availability.isAvailable()) {
			warnOfUnread(failure, first);
		}
	}

	private @Nullable RuntimeException tryToRead(boolean first) {
		Set<Long> before = versions();
		try {
			if (read()) {
				logIfNews(first, before);
			}
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
	}

	/*
	 * What is read first is news only after a warning that it could not be read.
	 */
	private void logIfNews(boolean first, Set<Long> before) {
		boolean hasChanged = !before.equals(versions());
		if ((first && this.warned) || (!first && hasChanged)) {
			this.log.read(first, inForce().size());
		}
	}

	private void warnOfUnread(RuntimeException failure, boolean first) {
		if (first) {
			if (!this.warned) {
				this.warned = true;
				this.log.unreadable(failure);
			}
			return;
		}

		this.failedReads++;
		if (this.failedReads == FAILED_READS) {
			this.log.readFailed(failure);
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
		this.interventions.forgetEnded();

		if (read == null || read.entries() == null) {
			return false;
		}
		apply(read.entries());
		this.lastRead = read.entries();
		this.knownVersion = read.version();
		return true;
	}

	/*
	 * The time of the store, which came with its last answer, so that overrides end for
	 * all instances at once. Without such a store it is this process' time.
	 */
	long nanos() {
		return this.clock.nanos() - this.ahead;
	}

	Instant moment() {
		return Instant.ofEpochSecond(0, nanos());
	}

	/**
	 * What became of an override that was to be taken back.
	 *
	 * @param removed whether there was one
	 * @param inForce the override, or {@code null} if there was none, or this instance
	 * could not put it in force
	 */
	record Removal(boolean removed, @Nullable InForce inForce) {
	}

}
