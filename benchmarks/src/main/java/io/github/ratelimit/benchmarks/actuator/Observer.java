package io.github.ratelimit.benchmarks.actuator;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.advice.ObservedTraffic;

/**
 * Lets the advisor observe requests at the time at which they come.
 */
final class Observer {

	static final RateLimitPolicy POLICY = RateLimitPolicy.of("api",
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 60, Duration.ofMinutes(1)));

	private static final long START = Duration.ofDays(20_000).toNanos();

	private final ObservedTraffic observed;

	private long now = START;

	Observer() {
		this.observed = new ObservedTraffic(POLICY, () -> this.now);
	}

	/**
	 * Advises on requests.
	 * @param requests the requests, in the order of their time
	 */
	static Advice advice(Requests requests) {
		Observer observer = new Observer();
		for (int i = 0; i < requests.size(); i++) {
			observer.now = START + requests.micros(i) * 1000;
			observer.observed.observe("caller-" + requests.caller(i), requests.permits(i));
		}
		return observer.observed.advice();
	}

}
