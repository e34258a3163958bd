package io.github.ratelimit.integration.documentation.recipes;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;

/**
 * The outcomes of all decisions.
 */
public class Outcomes implements RateLimitListener {

	private final ConcurrentLinkedQueue<RateLimitOutcome> outcomes = new ConcurrentLinkedQueue<>();

	@Override
	public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.outcomes.add(outcome);
	}

	/**
	 * Counts decisions.
	 * @param outcome the outcome to count
	 * @return how many decisions had it
	 */
	public int count(RateLimitOutcome outcome) {
		return Collections.frequency(List.copyOf(this.outcomes), outcome);
	}

}
