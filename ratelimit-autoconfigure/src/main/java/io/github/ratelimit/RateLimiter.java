package io.github.ratelimit;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * All policies of an application, by name. Ask it by hand where neither an annotation nor
 * a rule fits:
 *
 * <pre class="code">
 * RateLimitDecision decision = rateLimiter.decide("exports", user.getId());
 * if (!decision.allowed()) { ... }
 * </pre>
 */
public final class RateLimiter {

	private final ConcurrentMap<String, PolicyLimiter> limiters = new ConcurrentHashMap<>();

	private final List<Consumer<PolicyLimiter>> observers = new CopyOnWriteArrayList<>();

	private final RateLimitStore store;

	private final @Nullable Supplier<RateLimitSession> sessions;

	private final List<RateLimitListener> listeners;

	/**
	 * Creates a limiter without policies.
	 * @param store where the policies' states live
	 * @param listeners who is told of decisions
	 */
	public RateLimiter(RateLimitStore store, List<RateLimitListener> listeners) {
		this.store = store;
		this.sessions = store.sessions();
		this.listeners = List.copyOf(listeners);
	}

	/**
	 * Creates a limiter that lets everything pass, for where rate limits are turned off.
	 * It knows every policy that it is asked for, and has {@link Long#MAX_VALUE} permits
	 * left of each.
	 * @param clock the time of its decisions
	 * @return the limiter, without policies
	 */
	public static RateLimiter unlimited(RateLimitClock clock) {
		return new RateLimiter(new UnlimitedStore(clock), List.of());
	}

	/**
	 * Adds a policy.
	 * @param policy the policy
	 * @return what enforces it
	 * @throws IllegalStateException if there is a policy of that name
	 * @throws InvalidRateLimitException if the store cannot hold such a policy
	 */
	public PolicyLimiter register(RateLimitPolicy policy) {
		PolicyLimiter limiter = this.limiters.compute(policy.name(), (name, existing) -> {
			if (existing != null) {
				throw new IllegalStateException("There already is a rate limit policy named '" + name + "'");
			}
			return new PolicyLimiter(policy, this.store.open(policy), this.sessions, this.listeners);
		});
		this.observers.forEach((observer) -> observer.accept(limiter));
		return limiter;
	}

	/**
	 * Tells of every policy: those there are, at once, and each later one when it is
	 * registered.
	 * @param observer is told of each policy at least once, on any thread
	 */
	public void observe(Consumer<PolicyLimiter> observer) {
		this.observers.add(observer);
		this.limiters.values().forEach(observer);
	}

	/**
	 * Finds what enforces a policy.
	 * @param policy the policy's name
	 * @return the policy's limiter
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	public PolicyLimiter policy(String policy) {
		PolicyLimiter limiter = find(policy);
		if (limiter == null) {
			throw new InvalidRateLimitException("There is no rate limit policy named '" + policy + "'",
					Suggestion.of(policy, this.limiters.keySet()) + " Or add the policy to ratelimit.policies.");
		}
		return limiter;
	}

	/**
	 * Finds what enforces a policy, if there is one.
	 * @param policy the policy's name
	 * @return the policy's limiter, or {@code null}
	 */
	public @Nullable PolicyLimiter find(String policy) {
		PolicyLimiter limiter = this.limiters.get(policy);
		return (limiter == null && this.store instanceof UnlimitedStore unlimited) ? unlimited.limiter(policy)
				: limiter;
	}

	/**
	 * All policies.
	 * @return what enforces each of them, in no particular order
	 */
	public Collection<PolicyLimiter> policies() {
		return Collections.unmodifiableCollection(this.limiters.values());
	}

	/**
	 * Decides on a request of one permit.
	 * @param policy the policy's name
	 * @param key who asks
	 * @return the decision; one that allows may ask for a delay, which is the caller's to
	 * wait
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	public RateLimitDecision decide(String policy, String key) {
		return decide(policy, key, 1);
	}

	/**
	 * Decides on a request.
	 * @param policy the policy's name
	 * @param key who asks
	 * @param permits how many permits the request costs, from 0; 0 is a look
	 * @return the decision; one that allows may ask for a delay, which is the caller's to
	 * wait
	 * @throws InvalidRateLimitException if there is no such policy
	 * @throws IllegalArgumentException if the permits are negative
	 */
	public RateLimitDecision decide(String policy, String key, long permits) {
		return policy(policy).decide(key, permits);
	}

	/**
	 * Makes a key as good as new.
	 * @param policy the policy's name
	 * @param key the key to forget
	 * @throws InvalidRateLimitException if there is no such policy
	 */
	public void reset(String policy, String key) {
		policy(policy).reset(key);
	}

	/**
	 * Where the states live.
	 * @return the store
	 */
	public RateLimitStore store() {
		return this.store;
	}

}
