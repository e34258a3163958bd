package io.github.ratelimit.store;

import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Where the state of every (policy, key) lives. A bean of this type replaces the one that
 * the application would otherwise have.
 */
public interface RateLimitStore {

	/**
	 * What the store is called in the actuator endpoint.
	 * @return a short name, such as {@code caffeine}
	 */
	String name();

	/**
	 * Makes room for a policy's keys. Called once for each policy, before its first
	 * decision.
	 * @param policy the policy
	 * @return the states of the policy's keys, shared by all threads
	 * @throws InvalidRateLimitException if the store cannot hold such a policy
	 */
	RateLimitStates open(RateLimitPolicy policy);

	/**
	 * Opens the sessions in which requests ask several policies at once, for a store that
	 * answers so in less time. Asked for once.
	 * @return opens the session of one request; {@code null} for a store whose policies
	 * are asked one after the other, which is the default
	 */
	default @Nullable Supplier<RateLimitSession> sessions() {
		return null;
	}

	/**
	 * Whether the store can be asked, for one that others share and that may be out of
	 * reach.
	 * @return what is known, which changes with time; {@code null} for a store that is
	 * always there
	 */
	default @Nullable RateLimitStoreAvailability availability() {
		return null;
	}

}
