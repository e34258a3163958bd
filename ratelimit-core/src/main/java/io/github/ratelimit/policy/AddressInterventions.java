package io.github.ratelimit.policy;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitInterventions;

/**
 * Enforces what operators have decided of addresses, where the address of a request is
 * known.
 *
 * @since 0.1.0
 */
public interface AddressInterventions {

	/**
	 * Writes an address in the one way in which it is compared.
	 * @param address an address or a range of them, in any notation
	 * @return the same address or range
	 * @throws InvalidRateLimitException if it is none, or so wide that nobody means it
	 */
	String canonical(String address);

	/**
	 * Enforces interventions, in place of those before, for every request that begins
	 * from now on. It is not called twice at once.
	 * @param inForce all interventions about addresses; some may have ended
	 * @param clock the time of their ends
	 */
	void enforce(List<RateLimitInterventions.InForce> inForce, RateLimitClock clock);

	/**
	 * How many requests were decided so.
	 * @param kind what was decided
	 * @return the number since the start
	 */
	long requests(Kind kind);

}
