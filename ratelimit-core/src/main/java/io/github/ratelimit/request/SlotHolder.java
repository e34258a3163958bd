package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.policy.StoreRateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Whom a slot in the waiting room counts for: everybody, and the policies, keys and
 * client of the request that has it.
 *
 * @param bound how many slots it may have
 * @param limiter enforces the policy, if it is one or a key of one
 * @param name the key or the client's address, if it is one
 */
record SlotHolder(WaitingRoom.Bound bound, @Nullable StoreRateLimiter limiter, String name) {

	static final SlotHolder EVERYBODY = new SlotHolder(WaitingRoom.Bound.ROOM, null, "");

	/**
	 * Finds whom the slot of a request counts for.
	 * @param requests what is asked of each policy
	 * @param client the client's address, or {@code null} if there is none
	 * @return everybody first
	 */
	static List<SlotHolder> of(List<PermitRequest> requests, @Nullable String client) {
		List<SlotHolder> holders = new ArrayList<>(2 + 2 * requests.size());
		holders.add(EVERYBODY);
		for (PermitRequest request : requests) {
			if (request.effectivePolicy().longestDelayNanos() > 0) {
				holders.add(new SlotHolder(WaitingRoom.Bound.POLICY, request.limiter(), ""));
				holders.add(new SlotHolder(WaitingRoom.Bound.KEY, request.limiter(), request.key()));
			}
		}
		if (client != null) {
			holders.add(new SlotHolder(WaitingRoom.Bound.CLIENT, null, client));
		}
		return holders;
	}

}
