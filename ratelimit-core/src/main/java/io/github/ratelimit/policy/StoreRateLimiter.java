package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * Enforces one policy: it asks the store, counts the outcome and tells the listeners.
 *
 * @since 0.1.0
 */
public final class StoreRateLimiter implements RateLimiter {

	private final String alias;

	final EffectivePolicies versions;

	/* Opens what several policies of the store are asked with, if it can be. */
	final @Nullable Supplier<RateLimitSession> sessions;

	final DecisionReports reports;

	/* Whether requests are enforced, or were under an override. */
	private volatile boolean enforced;

	/* Whether requests may have to wait, or had to under an override. */
	private volatile boolean delaying;

	/*
	 * Sorted by place, because the text of each begins with it. There may be several
	 * rules for one.
	 */
	private final Collection<AppliedLocation> locations = new ConcurrentSkipListSet<>();

	private volatile @Nullable Runnable observer;

	StoreRateLimiter(RateLimitPolicy policy, String alias, RateLimitStore store,
			@Nullable Supplier<RateLimitSession> sessions, List<RateLimitListener> listeners,
			@Nullable RequestObserver requests, PlanSettings plans) {
		this.alias = alias;
		this.sessions = sessions;
		this.reports = new DecisionReports(listeners, requests, plans.clock());
		this.versions = new EffectivePolicies(this, policy, store, plans);
		use(this.versions.defined);
	}

	/**
	 * Casts a limiter to the type that enforces it. It is no extension point: a store is.
	 * @param limiter a limiter of the registry
	 * @return the same
	 */
	public static StoreRateLimiter of(RateLimiter limiter) {
		if (limiter instanceof StoreRateLimiter store) {
			return store;
		}
		throw new IllegalStateException(
				"A policy that is applied has a limiter that is not the RateLimiterRegistry's own. "
						+ "If a test mocks either, set ratelimit.enabled to false there.");
	}

	@Override
	public RateLimitPolicy policy() {
		return this.versions.defined.policy;
	}

	/**
	 * What clients call the policy where they are not to know its name.
	 * @return {@code p1} for the policy that was defined first, and so on
	 */
	public String alias() {
		return this.alias;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decideByHand(key, permits, false);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		return decideByHand(key, permits, true);
	}

	private RateLimitDecision decideByHand(String key, long permits, boolean withoutDelay) {
		if (permits <= 0) {
			throw new IllegalArgumentException("A request cannot cost " + permits
					+ " permits; use 1 or more, or peek to see what a key has left without taking any");
		}
		return effectivePolicy(key).decideByHand(key, permits, withoutDelay);
	}

	@Override
	public RateLimitStanding peek(String key) {
		return effectivePolicy(key).states.decide(key, 0);
	}

	/**
	 * Opens the session of one request.
	 * @return the session, or {@code null} if the store decides for one policy at a time
	 */
	public @Nullable RateLimitSession session() {
		return (this.sessions != null) ? this.sessions.get() : null;
	}

	/**
	 * The numbers that decide on a key at present, if nothing is known of a call.
	 * @param key the key that is limited
	 * @return the version
	 */
	public EffectivePolicy effectivePolicy(String key) {
		return effectivePolicy(key, null);
	}

	/**
	 * The numbers that decide on a call at present.
	 * @param key the key that is limited
	 * @param question the call's question for its caller's plan, if there is one
	 * @return the version
	 */
	public EffectivePolicy effectivePolicy(String key, @Nullable PlanQuestion question) {
		EffectivePolicy only = this.versions.only;
		return (only != null) ? only : this.versions.choose(key, question, true);
	}

	/**
	 * The numbers that decide on a key at present by the plan that it was last said to
	 * have. Nothing is asked.
	 * @param key the key that is limited
	 * @return the version
	 */
	public EffectivePolicy lastEffectivePolicy(String key) {
		EffectivePolicy only = this.versions.only;
		return (only != null) ? only : this.versions.choose(key, null, false);
	}

	/**
	 * Whether the plan of a key would have to be asked for.
	 * @param key the key that is limited
	 * @return {@code false} if there are no plans, or that of the key was told lately
	 */
	public boolean asksForPlan(String key) {
		return this.versions.known != null && !this.versions.known.isFresh(key);
	}

	/**
	 * Whether calls of one key are always decided alike.
	 * @return {@code false} if a call must be known to choose the version
	 */
	public boolean dependsOnKeyOnly() {
		return this.versions.known == null;
	}

	/**
	 * Whether a call may wait until a resolver tells the plan of its key.
	 * @return {@code false} if there is no resolver that is asked
	 */
	public boolean mayAwaitPlan() {
		return this.versions.known != null && this.versions.known.resolver != null;
	}

	/**
	 * The numbers with which a rejection was thrown, for what its client is told.
	 * @param policy the policy with the limits that rejected
	 * @return a version, which decides nothing if it is no longer in force
	 */
	public EffectivePolicy rejecting(RateLimitPolicy policy) {
		EffectivePolicy defined = this.versions.defined;
		return (policy == defined.policy) ? defined : new EffectivePolicy(this, policy, defined.states, null, false);
	}

	/**
	 * What is told of the policy's requests.
	 * @return the observer, or {@code null} if nothing is
	 */
	public @Nullable RequestObserver requestObserver() {
		return this.reports.observer;
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		effectivePolicy(key).refund(key, permits, given);
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		effectivePolicy(key).settle(key, reserved, used, given);
	}

	@Override
	public long settlements(RateLimitSettlement settlement) {
		return this.reports.settlements.sum(settlement);
	}

	@Override
	public void reset(String key) {
		EffectivePolicy version = effectivePolicy(key);
		version.reset(key);
		if (version != this.versions.defined) {
			this.versions.defined.reset(key);
		}
	}

	/**
	 * The limits that decide on a key at present.
	 * @param key the key that is limited
	 * @return the limits; none if the key's plan is unlimited
	 */
	public List<RateLimit> limitsFor(String key) {
		EffectivePolicy version = effectivePolicy(key);
		return version.isUnlimited() ? List.of() : version.policy.limits();
	}

	/**
	 * How many requests were decided on while the policy was enforced, whatever its mode
	 * is now.
	 * @param outcome what became of them
	 * @return the number since the start
	 */
	public long enforced(RateLimitOutcome outcome) {
		return this.reports.outcomes.sum(outcome);
	}

	@Override
	public @Nullable String plan(String key) {
		return this.versions.plan((plans) -> plans.of(key, null));
	}

	/**
	 * The plan that a key was last said to have. Nothing is asked.
	 * @param key the key that is limited
	 * @return the plan's name, or {@code null} if it is not known or the key has none
	 */
	public @Nullable String knownPlan(String key) {
		return this.versions.plan((plans) -> plans.last(key));
	}

	@Override
	public void forgetPlan(String key) {
		if (this.versions.known != null) {
			this.versions.known.forget(key);
		}
	}

	@Override
	public long unknownPlans() {
		return (this.versions.known != null) ? this.versions.known.unknown.sum() : 0;
	}

	@Override
	public long count(RateLimitOutcome outcome) {
		ShadowCounts shadow = this.reports.shadow;
		return (shadow != null && !this.enforced) ? shadow.count(outcome) : this.reports.outcomes.sum(outcome);
	}

	@Override
	public @Nullable RateLimitShadow shadow() {
		return this.reports.shadow;
	}

	/**
	 * Notes that a version is in force, for those who count and for those who wait.
	 */
	void use(EffectivePolicy version) {
		boolean changed = !this.enforced && version.isEnforced() || !this.delaying && version.policy.delays()
				|| this.reports.shadow == null && version.shadow != null;
		this.enforced = this.enforced || version.isEnforced();
		this.delaying = this.delaying || version.policy.delays();
		if (version.shadow != null) {
			EffectivePolicy defined = this.versions.defined;
			this.reports.follow(version.shadow.policy, version == defined || defined.shadow == null);
		}
		if (changed) {
			tellObserver();
		}
	}

	/**
	 * Has an observer told when the limiter does what it did not do before: enforces,
	 * delays, tries in shadow, or has a place with an expression of its own that can
	 * fail.
	 */
	void observe(Runnable observer) {
		this.observer = observer;
	}

	/**
	 * Registers what records how long each delayed request waits.
	 * @param recorder what the waits are recorded by, which is told once only
	 * @param delays are told
	 */
	public void observeDelays(Object recorder, Consumer<Duration> delays) {
		this.reports.delays.putIfAbsent(recorder, delays);
	}

	private void tellObserver() {
		Runnable observer = this.observer;
		if (observer != null) {
			observer.run();
		}
	}

	/**
	 * Whether requests are enforced.
	 * @return {@code true} also if they only were under an override
	 */
	public boolean isEnforced() {
		return this.enforced;
	}

	/**
	 * Whether requests may have to wait.
	 * @return {@code true} also if they only had to under a plan or an override
	 */
	public boolean isDelaying() {
		return this.delaying || policy().delays();
	}

	/* What a store tells of the policy's keys is that of all versions. */
	@Override
	public long keys() {
		return this.versions.defined.states.keys();
	}

	@Override
	public long evictions() {
		return this.versions.defined.states.evictions();
	}

	@Override
	public long fallbacks() {
		return this.versions.defined.states.fallbacks();
	}

	/**
	 * Counts a request whose key, cost, condition, charge or plan could not be found out.
	 * @param expression which of them
	 */
	public void countFailure(RateLimitExpression expression) {
		this.reports.failures.incrementAndGet(expression.ordinal());
	}

	@Override
	public long failures(RateLimitExpression expression) {
		return this.reports.failures.get(expression.ordinal());
	}

	/**
	 * Records a place where the policy is applied, for display.
	 * @param place the place
	 */
	public void add(AppliedLocation place) {
		boolean more = place.cost() != null || place.condition() != null || place.charge() != null;
		if (this.locations.add(place) && more) {
			tellObserver();
		}
	}

	/**
	 * Whether the policy has an expression, or a place that it is applied to.
	 * @param expression which of them
	 * @return {@code false} if the expression cannot fail, because there is none
	 */
	public boolean has(RateLimitExpression expression) {
		return switch (expression) {
			case KEY -> true;
			case COST -> isAtAPlace(AppliedLocation::cost);
			case CONDITION -> isAtAPlace(AppliedLocation::condition);
			case CHARGE -> policy().charge() != null || isAtAPlace(AppliedLocation::charge);
			case PLAN -> !policy().plans().isEmpty();
		};
	}

	private boolean isAtAPlace(Function<AppliedLocation, @Nullable String> expression) {
		return this.locations.stream().anyMatch((place) -> expression.apply(place) != null);
	}

	/**
	 * Forgets places that the policy is no longer applied to.
	 * @param places those to forget
	 */
	public void removeLocations(Predicate<AppliedLocation> places) {
		this.locations.removeIf(places);
	}

	/**
	 * Whether a place that the policy is applied to has a key of its own.
	 * @return {@code false} if all keys are those of the policy's expression
	 */
	public boolean hasOwnKeys() {
		return isAtAPlace(AppliedLocation::key);
	}

	/**
	 * Where the policy is applied, with what differs from it there.
	 * @return the rules and methods, sorted
	 */
	public Collection<AppliedLocation> locations() {
		return Collections.unmodifiableCollection(this.locations);
	}

	@Override
	public Collection<String> appliedTo() {
		Set<String> applied = new LinkedHashSet<>();
		for (AppliedLocation each : this.locations) {
			applied.add(each.location());
		}
		return applied;
	}

}
