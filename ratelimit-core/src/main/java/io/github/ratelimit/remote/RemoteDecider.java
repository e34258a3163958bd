package io.github.ratelimit.remote;

import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.LateCharge;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one policy, on the states of its keys in the store. It does all that the
 * policy says: it also bans keys, and reserves permits for those who may wait.
 *
 * @since 0.1.0
 */
public interface RemoteDecider {

	/**
	 * Names the server that has a key, as far as it is known. Called for each request.
	 * @param key the key
	 * @return the same name for all keys of a server, or an empty text if it is not known
	 * or the only one
	 */
	String server(String key);

	/**
	 * Decides on a request.
	 * @param key the key
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether the request cannot wait
	 */
	RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay);

	/**
	 * Whether {@link #decideAll} is supported, so that requests for one key can share a
	 * call.
	 */
	default boolean joins() {
		return false;
	}

	/**
	 * Decides on several requests for one key in one call: in their order, at one moment,
	 * each as it would have been decided alone in its position.
	 * @param key the key
	 * @param permits how many permits each request costs; 0 looks without taking
	 * @param withoutDelay whether the requests cannot wait
	 * @return the call, which answers with the decision of each request
	 */
	default RemoteStore.Call<List<RateLimitDecision>> decideAll(String key, long[] permits, boolean withoutDelay) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Refunds what a request was given.
	 * @param key the key
	 * @param permits how many permits to refund
	 * @param given the decision that allowed the request
	 */
	RemoteStore.Call<Void> refund(String key, long permits, RateLimitDecision given);

	/**
	 * Takes permits that have been used already, whether they are there or not.
	 * @param key the key
	 * @param permits how many
	 * @return the call, which answers with what the key had left before and after, for a
	 * policy that warns, and otherwise with {@code null}
	 */
	RemoteStore.Call<@Nullable LateCharge> charge(String key, long permits);

	/**
	 * Forgets a key.
	 * @param key the key
	 */
	RemoteStore.Call<Void> reset(String key);

}
