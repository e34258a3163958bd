package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The registry of policies whose states are in a store.
 *
 * @since 0.1.0
 */
public final class StoreRateLimiterRegistry implements RateLimiterRegistry {

	private static final Log logger = LogFactory.getLog(StoreRateLimiterRegistry.class);

	private static final int MAXIMUM_OVERRIDES = 10_000;

	/* A policy needs a limit, even where limits are turned off and it does not hold. */
	private static final RateLimit UNUSED_LIMIT = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000,
			Duration.ofSeconds(1));

	private final ConcurrentMap<String, StoreRateLimiter> limiters = new ConcurrentHashMap<>();

	private final AtomicInteger lastAlias = new AtomicInteger();

	private final List<Consumer<RateLimiter>> observers = new CopyOnWriteArrayList<>();

	private final List<Consumer<RateLimitPolicy>> changeChecks = new CopyOnWriteArrayList<>();

	private final RateLimitStore store;

	private final @Nullable Supplier<RateLimitSession> sessions;

	private final List<RateLimitListener> listeners;

	private final PlanSettings plans;

	private final PolicyOverrides overrides;

	private final Function<RateLimitPolicy, @Nullable RequestObserver> requestObservers;

	private final List<Consumer<Object>> thresholdObservers = new CopyOnWriteArrayList<>();

	/*
	 * Counts what is decided for policies that nobody has defined. They are known where
	 * limits are turned off, and nowhere else.
	 */
	private final @Nullable DecisionReports ofUndefined;

	/* It is there once a policy warns of something. */
	private @Nullable ThresholdDelivery thresholds;

	/**
	 * Creates a registry without policies.
	 * @param store where the policies' states live
	 * @param listeners are called after each decision
	 */
	public StoreRateLimiterRegistry(RateLimitStore store, List<RateLimitListener> listeners) {
		this(store, listeners, PlanSettings.of(null, RateLimitClock.system()));
	}

	/**
	 * Creates a registry without policies.
	 * @param store where the policies' states live
	 * @param listeners are called after each decision
	 * @param plans how it is found out which plans callers have
	 */
	public StoreRateLimiterRegistry(RateLimitStore store, List<RateLimitListener> listeners, PlanSettings plans) {
		this(store, listeners, plans, MAXIMUM_OVERRIDES, (policy) -> null);
	}

	/**
	 * Creates a registry without policies.
	 * @param store where the policies' states live
	 * @param listeners are called after each decision
	 * @param plans how it is found out which plans callers have; its clock also says when
	 * overrides end, unless the store shares them, and for how long the log is silent
	 * @param maximumOverrides how many keys may have an override
	 * @param requestObservers gives what observes the requests of a policy, if anything
	 */
	public StoreRateLimiterRegistry(RateLimitStore store, List<RateLimitListener> listeners, PlanSettings plans,
			int maximumOverrides, Function<RateLimitPolicy, @Nullable RequestObserver> requestObservers) {
		this.requestObservers = requestObservers;
		this.store = store;
		this.plans = plans;
		this.sessions = store.sessions();
		this.listeners = List.copyOf(listeners);
		this.overrides = new PolicyOverrides(this.limiters, store, plans.clock(), maximumOverrides);
		boolean isUnlimited = store instanceof EffectivePolicies.UnlimitedStore;
		this.ofUndefined = isUnlimited ? new DecisionReports(List.of(), null, plans.clock(), null) : null;
	}

	/**
	 * Creates a registry that lets everything pass, for where rate limits are turned off.
	 * It knows every policy that it is asked for, and has {@link Long#MAX_VALUE} permits
	 * left of each. Requests for those that nobody has defined are counted together, and
	 * no override or intervention names one of them.
	 * @param clock the time of its decisions
	 * @return the registry, without policies
	 */
	public static StoreRateLimiterRegistry unlimited(RateLimitClock clock) {
		return new StoreRateLimiterRegistry(new EffectivePolicies.UnlimitedStore(clock), List.of());
	}

	@Override
	public StoreRateLimiter register(RateLimitPolicy policy) {
		if (this.limiters.containsKey(policy.name())) {
			throw existing(policy.name());
		}
		StoreRateLimiter limiter = create(policy);
		put(limiter);
		this.observers.forEach((observer) -> observer.accept(limiter));
		this.overrides.applyTo(policy.name());
		return limiter;
	}

	private void put(StoreRateLimiter limiter) {
		if (this.limiters.putIfAbsent(limiter.policy().name(), limiter) != null) {
			throw existing(limiter.policy().name());
		}
	}

	/*
	 * A change that is being made is one of several, all of which are made whatever an
	 * observer does.
	 */
	private void notifyOfChange(RateLimiter limiter) {
		this.observers.forEach((observer) -> OverrideLog.notifyObserver(() -> observer.accept(limiter)));
	}

	/**
	 * Prepares to define a policy while requests are decided on: a new one, or an
	 * existing one with other limits, plans or shadow limits, another mode, or another
	 * longest wait. The rest of an existing policy stays as it is.
	 * @param policy the policy as it is to be
	 * @return the change, which has an effect once it is made
	 * @throws InvalidRateLimitException if the policy cannot be so
	 * @see PolicyChange#redefined
	 */
	public PolicyChange change(RateLimitPolicy policy) {
		StoreRateLimiter limiter = this.limiters.get(policy.name());
		if (limiter != null) {
			return change(limiter, PolicyChange.redefined(limiter.policy(), policy));
		}
		StoreRateLimiter created = create(policy);
		return new PolicyChange(created, created.policy(), () -> {
			put(created);
			notifyOfChange(created);
			this.overrides.applyTo(created.policy().name());
		});
	}

	private PolicyChange change(StoreRateLimiter limiter, RateLimitPolicy policy) {
		this.changeChecks.forEach((check) -> check.accept(policy));
		EffectivePolicy defined = limiter.effectivePolicies.definition(policy);
		Map<String, EffectivePolicy> plans = limiter.effectivePolicies.plans(defined);
		return new PolicyChange(limiter, policy, () -> {
			limiter.redefine(defined, plans);
			warnOfIgnored(defined);
			this.overrides.redefined(limiter);
			notifyOfChange(limiter);
		});
	}

	private StoreRateLimiter create(RateLimitPolicy policy) {
		DecisionReports reports = new DecisionReports(this.listeners, this.requestObservers.apply(policy),
				this.plans.clock(), createThresholds(policy));
		StoreRateLimiter created = new StoreRateLimiter(policy, "p" + this.lastAlias.incrementAndGet(), this.store,
				this.sessions, reports, this.plans);
		warnOfIgnored(created.effectivePolicies.defined());
		created.observe(() -> notifyOfChange(created));
		return created;
	}

	private synchronized @Nullable ThresholdReports createThresholds(RateLimitPolicy policy) {
		if (policy.warnAt().isEmpty()) {
			return null;
		}
		if (this.thresholds == null) {
			this.thresholds = new ThresholdDelivery(this.listeners, this.thresholdObservers, this.plans.clock());
		}
		return new ThresholdReports(policy.warnAt(), this.thresholds, this.plans.clock());
	}

	private static IllegalStateException existing(String name) {
		return new IllegalStateException("There already is a rate limit policy named '" + name + "'");
	}

	private void warnOfIgnored(EffectivePolicy defined) {
		if (this.ofUndefined != null) {
			return;
		}

		RateLimitPolicy policy = defined.policy;
		if (policy.ban() != null && !defined.decider.bans()) {
			warnOfIgnored("does not ban keys", "ban", policy);
		}
		if (!policy.maxWait().isZero() && !defined.decider.reserves()) {
			warnOfIgnored("reserves no permits", "max-wait", policy);
		}
	}

	private void warnOfIgnored(String reason, String ignored, RateLimitPolicy policy) {
		logger.warn("The store '" + this.store.name() + "' " + reason + ", so that the " + ignored + " of the policy '"
				+ policy.name() + "' has no effect. Remove it, or use the store caffeine or redis.");
	}

	@Override
	public void observe(Consumer<RateLimiter> observer) {
		this.observers.add(observer);
		this.limiters.values().forEach(observer);
	}

	@Override
	public StoreRateLimiter policy(String policy) {
		StoreRateLimiter limiter = find(policy);
		if (limiter == null) {
			throw InvalidRateLimitException.unknownPolicy(policy, this.limiters.keySet());
		}
		return limiter;
	}

	/*
	 * Where limits are turned off, every policy is known. None is kept: callers may ask
	 * for any number of names, which are counted together.
	 */
	@Override
	public @Nullable StoreRateLimiter find(String policy) {
		StoreRateLimiter limiter = this.limiters.get(policy);
		DecisionReports reports = this.ofUndefined;
		if (limiter != null || reports == null || !RateLimitPolicy.isName(policy)) {
			return limiter;
		}
		return new StoreRateLimiter(RateLimitPolicy.of(policy, UNUSED_LIMIT), "p0", this.store, null, reports,
				this.plans);
	}

	@Override
	public Collection<StoreRateLimiter> policies() {
		return Collections.unmodifiableCollection(this.limiters.values());
	}

	@Override
	public String storeName() {
		return this.store.name();
	}

	@Override
	public RateLimitOverrides overrides() {
		return this.overrides;
	}

	@Override
	public RateLimitInterventions interventions() {
		return this.overrides.interventions;
	}

	/**
	 * Puts in force what the configuration says, in place of what it has said before.
	 * @param configured interventions without an end
	 * @throws InvalidRateLimitException if there is no such policy or address
	 */
	public void configureInterventions(List<RateLimitIntervention> configured) {
		this.overrides.interventions.configure(configured);
	}

	/**
	 * Writes what an intervention is about in the one way in which it is compared.
	 * @param target what it is about, with an address in any notation
	 * @return the same target
	 * @throws InvalidRateLimitException if there is no such policy or address
	 */
	public RateLimitIntervention.Target canonical(RateLimitIntervention.Target target) {
		return this.overrides.interventions.canonical(target);
	}

	/**
	 * Has an observer notified of each intervention that this instance puts in force or
	 * ends.
	 * @param observer is called after the change
	 */
	public void observeInterventions(Consumer<InterventionChange> observer) {
		this.overrides.interventions.observe(observer);
	}

	/**
	 * Has interventions about addresses enforced, by those who know the address of a
	 * request.
	 * @param addresses writes an address in one way, and is given what is in force now,
	 * and again when that changes
	 */
	public void enforceAddresses(AddressInterventions addresses) {
		this.overrides.interventions.enforce(addresses);
	}

	/**
	 * Has an observer notified once addresses are exempt or denied.
	 * @param observer is called at least once then
	 */
	public void observeAddresses(Runnable observer) {
		this.overrides.interventions.observeAddresses(observer);
	}

	/**
	 * How many requests were decided on by their address, as operators have decided.
	 * @param kind what was decided
	 * @return the number since the start
	 */
	public long addressRequests(RateLimitIntervention.Kind kind) {
		return this.overrides.interventions.addressRequests(kind);
	}

	/**
	 * Puts an override in force, as {@link #overrides()} do, and tells what that has
	 * changed.
	 * @param override the override
	 * @param expectedVersion the version of the override that it replaces, 0 if it is to
	 * replace none, or {@link RateLimitOverrides#ANY_VERSION}
	 * @return the change
	 * @see RateLimitOverrides#put(RateLimitOverride, long)
	 */
	public OverrideChange override(RateLimitOverride override, long expectedVersion) {
		return this.overrides.override(override, expectedVersion);
	}

	/**
	 * Takes an override back, as {@link #overrides()} do.
	 * @param target what it overrides
	 * @param expectedVersion its version, or {@link RateLimitOverrides#ANY_VERSION}
	 * @param who who takes it back, or {@code null}
	 * @return whether there was one, also if this instance could not put it in force
	 * @see RateLimitOverrides#remove(RateLimitOverride.Target, long, String)
	 */
	public boolean removeOverride(RateLimitOverride.Target target, long expectedVersion, @Nullable String who) {
		return this.overrides.takeBack(target, expectedVersion, who).removed();
	}

	/**
	 * Has an observer notified of each change that this instance makes to an override.
	 * @param observer is called after the change
	 */
	public void observeOverrides(Consumer<OverrideChange> observer) {
		this.overrides.observe(observer);
	}

	/**
	 * Has an observer told of each share of a limit that a key has crossed, after the
	 * listeners and on the same thread.
	 * @param observer is called with each
	 * {@link io.github.ratelimit.RateLimitThresholdEvent}
	 */
	public void observeThresholds(Consumer<Object> observer) {
		this.thresholdObservers.add(observer);
	}

	/**
	 * Adds a check of the numbers of each override that this instance is to put in force,
	 * by those who know where its policy is applied.
	 * @param check is given the policy with these numbers, and fails with an
	 * {@link InvalidRateLimitException} if they could not be enforced there
	 */
	public void addOverrideCheck(Consumer<RateLimitPolicy> check) {
		this.overrides.addCheck(check);
	}

	/**
	 * Adds a check of the numbers of each override, as
	 * {@link #addOverrideCheck(Consumer)} does, and of each policy that is to be defined
	 * anew.
	 * @param check is given the policy with these numbers, and fails with an
	 * {@link InvalidRateLimitException} if they could not be enforced where it is applied
	 */
	public void addChangeCheck(Consumer<RateLimitPolicy> check) {
		this.changeChecks.add(check);
		addOverrideCheck(check);
	}

	/**
	 * Follows what other instances have overridden, if the store shares it. It is to be
	 * called before anything is decided on, and then again and again, and does not fail.
	 */
	public void followOverrides() {
		this.overrides.follow();
	}

	/**
	 * Where the states live.
	 * @return the store
	 */
	public RateLimitStore store() {
		return this.store;
	}

}
