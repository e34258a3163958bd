package io.github.ratelimit.enforce;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * The registry of policies whose states are in a store.
 *
 * @since 0.1.0
 */
public final class StoreRateLimiterRegistry implements RateLimiterRegistry {

	private final ConcurrentMap<String, StoreRateLimiter> limiters = new ConcurrentHashMap<>();

	private final AtomicInteger defined = new AtomicInteger();

	private final List<Consumer<RateLimiter>> observers = new CopyOnWriteArrayList<>();

	private final RateLimitStore store;

	private final @Nullable Supplier<RateLimitSession> sessions;

	private final List<RateLimitListener> listeners;

	/**
	 * Creates a registry without policies.
	 * @param store where the policies' states live
	 * @param listeners are called after each decision
	 */
	public StoreRateLimiterRegistry(RateLimitStore store, List<RateLimitListener> listeners) {
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
	public static StoreRateLimiterRegistry unlimited(RateLimitClock clock) {
		return new StoreRateLimiterRegistry(new UnlimitedStore(clock), List.of());
	}

	@Override
	public StoreRateLimiter register(RateLimitPolicy policy) {
		StoreRateLimiter limiter = this.limiters.compute(policy.name(), (name, existing) -> {
			if (existing != null) {
				throw new IllegalStateException("There already is a rate limit policy named '" + name + "'");
			}
			return new StoreRateLimiter(policy, StoreRateLimiter.alias(this.defined.incrementAndGet()),
					this.store.open(policy), this.sessions, this.listeners);
		});
		this.observers.forEach((observer) -> observer.accept(limiter));
		return limiter;
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

	@Override
	public @Nullable StoreRateLimiter find(String policy) {
		StoreRateLimiter limiter = this.limiters.get(policy);
		return (limiter == null && this.store instanceof UnlimitedStore unlimited) ? unlimited.limiter(policy)
				: limiter;
	}

	@Override
	public Collection<StoreRateLimiter> policies() {
		return Collections.unmodifiableCollection(this.limiters.values());
	}

	@Override
	public String storeName() {
		return this.store.name();
	}

	/**
	 * Where the states live.
	 * @return the store
	 */
	public RateLimitStore store() {
		return this.store;
	}

}
