package io.github.ratelimit.policy;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.store.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Says how it is found out which plans callers have, and for how long it is remembered.
 *
 * @param resolver finds plans for policies without an expression, or {@code null}
 * @param refresh how long an answer is remembered before it is asked for again
 * @param timeout the longest that a request waits for the first answer about its key
 * @param maximumSize how many keys of each policy are remembered
 * @param memory what the keys of all policies may take together
 * @param clock gives the time
 * @since 0.1.0
 */
public record PlanSettings(@Nullable RateLimitPlanResolver resolver, Duration refresh, Duration timeout,
		long maximumSize, MemoryBudget memory, RateLimitClock clock) {

	/**
	 * Creates settings with which the keys of all policies may take a sixteenth of the
	 * heap.
	 * @param resolver finds plans for policies without an expression, or {@code null}
	 * @param refresh how long an answer is remembered before it is asked for again
	 * @param timeout the longest that a request waits for the first answer about its key
	 * @param maximumSize how many keys of each policy are remembered
	 * @param clock gives the time
	 */
	public PlanSettings(@Nullable RateLimitPlanResolver resolver, Duration refresh, Duration timeout, long maximumSize,
			RateLimitClock clock) {
		this(resolver, refresh, timeout, maximumSize, MemoryBudget.ofHeap(), clock);
	}

	/**
	 * The default settings: a minute, a tenth of a second, and 100,000 keys.
	 * @param resolver finds which plan a key has, or {@code null}
	 * @param clock gives the time
	 * @return the settings
	 */
	public static PlanSettings of(@Nullable RateLimitPlanResolver resolver, RateLimitClock clock) {
		return new PlanSettings(resolver, Duration.ofMinutes(1), Duration.ofMillis(100), 100_000, clock);
	}

}
