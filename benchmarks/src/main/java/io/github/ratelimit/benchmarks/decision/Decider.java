package io.github.ratelimit.benchmarks.decision;

import org.openjdk.jmh.infra.Blackhole;

/**
 * Decides on requests of one permit.
 */
interface Decider {

	/**
	 * Decides, and tells everything it can of the decision.
	 * @param key who asks
	 * @param sink takes the decisions
	 * @return whether the request may pass
	 */
	boolean decide(String key, Blackhole sink);

	/**
	 * Decides for somebody who asks for no more than yes or no.
	 * @param key who asks
	 * @return whether the request may pass
	 */
	boolean allows(String key);

}
