package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;

/**
 * Keeps a single log of a key below 1 MiB, whichever store holds it.
 */
final class LogSize {

	/* A key has other words, too. */
	private static final long MAX_PERMITS = (1 << 20) / Long.BYTES - 16;

	private LogSize() {
	}

	/**
	 * Checks a policy's limits.
	 * @param policy the policy, with limits of any algorithm
	 * @throws InvalidRateLimitException if one is a log that could become too heavy
	 */
	static void check(RateLimitPolicy policy) {
		boolean debts = policy.charge() != null;
		for (int i = 0; i < policy.limits().size(); i++) {
			RateLimit limit = policy.limits().get(i);
			if (limit.algorithm() == RateLimitAlgorithm.SLIDING_WINDOW_LOG
					&& stamps(limit, debts, policy.maxWait()) > MAX_PERMITS) {
				throw tooHeavy(limit, debts, policy.maxWait()).inLimit(i);
			}
		}
	}

	/**
	 * The largest number of time stamps of a key.
	 * @param debts whether more can be taken than is there
	 * @param maxWait the longest that a request waits, so that its stamp lies ahead
	 */
	static long stamps(RateLimit limit, boolean debts, Duration maxWait) {
		if (maxWait.isZero()) {
			return Algorithm.maxTaken(limit, debts);
		}
		return limit.limit() * (1 + windows(limit, maxWait));
	}

	/*
	 * In how many windows requests may wait for their permits. The last may have only
	 * begun.
	 */
	private static long windows(RateLimit limit, Duration maxWait) {
		long window = limit.window().toNanos();
		return (maxWait.toNanos() + window - 1) / window;
	}

	private static InvalidRateLimitException tooHeavy(RateLimit limit, boolean debts, Duration maxWait) {
		String reason = "would make a key of the sliding window log heavier than 1 MiB (8 bytes for each permit";
		long largest = MAX_PERMITS;
		if (debts) {
			reason += ", and as many again for debts, because the policy has a charge";
			largest = MAX_PERMITS / 2;
		}
		else if (!maxWait.isZero()) {
			reason += ", and as many again for each window of its max-wait, which has " + windows(limit, maxWait);
			largest = MAX_PERMITS / (1 + windows(limit, maxWait));
		}
		String lighter = (largest > 0) ? "a limit of at most " + largest + "." : "a shorter max-wait.";
		return new InvalidRateLimitException("limit", limit.limit(), reason + ")",
				"Use the algorithm sliding-window-counter, which needs constant memory, or " + lighter);
	}

}
