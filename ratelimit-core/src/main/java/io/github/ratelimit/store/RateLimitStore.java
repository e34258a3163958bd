package io.github.ratelimit.store;

import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the state of every key of every policy. A bean of this type replaces the store
 * that the application would otherwise have.
 * <p>
 * A store has a {@link #name()} and {@link #open opens} policies; the other methods are
 * optional, most of them for stores that are reached over a network.
 *
 * @since 0.1.0
 */
public interface RateLimitStore {

	/**
	 * Returns the store's name in the actuator endpoint.
	 * @return a short name, such as {@code caffeine}
	 */
	String name();

	/**
	 * Opens the states of a policy's keys. Called before a policy's first decision, and
	 * again for other limits of the policy, unless its states can be opened
	 * {@link PolicyDecider#under under} them: keys then begin anew.
	 * @param policy the policy
	 * @return the states of the policy's keys, shared by all threads
	 * @throws InvalidRateLimitException if the store cannot hold such a policy
	 */
	PolicyDecider open(RateLimitPolicy policy);

	/**
	 * Opens the sessions in which a request asks several policies at once, for a store
	 * that then answers in less time. Called once. What a session is asked has the
	 * deciders that {@link #open} and {@link PolicyDecider#under under} have returned: a
	 * store that wraps them also unwraps them there.
	 * @return opens the session of one request; {@code null}, the default, for a store
	 * whose policies are asked one after the other
	 */
	default @Nullable Supplier<RateLimitSession> sessions() {
		return null;
	}

	/**
	 * Forgets every key of every policy, for tests.
	 * @return whether it did; {@code false}, the default, for a store that cannot, or
	 * that others share
	 */
	default boolean forgetAll() {
		return false;
	}

	/**
	 * Returns where instances that share the store share what is changed while they run.
	 * @return the shared overrides; {@code null}, the default, for a store of one
	 * instance
	 */
	default @Nullable SharedOverrides sharedOverrides() {
		return null;
	}

	/**
	 * Whether the store is available, for a store outside this process.
	 * @return the availability, which changes with time; {@code null} for a store that is
	 * always available
	 */
	default @Nullable RateLimitStoreAvailability availability() {
		return null;
	}

}
