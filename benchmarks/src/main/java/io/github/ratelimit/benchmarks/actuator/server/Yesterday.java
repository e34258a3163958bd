package io.github.ratelimit.benchmarks.actuator.server;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;

/**
 * A day's requests, so that the store is full, and the advisor has something to go by.
 */
final class Yesterday {

	private static final long DAY = Duration.ofDays(1).toNanos();

	private static final int MAX_REQUESTS = 4;

	private static final int BUSY_KEYS = 20;

	private final List<? extends RateLimiter> limiters;

	private final AheadClock clock;

	Yesterday(RateLimiterRegistry limiters, AheadClock clock) {
		this.limiters = limiters.policies()
			.stream()
			.sorted(Comparator.comparing((RateLimiter limiter) -> limiter.policy().name()))
			.toList();
		this.clock = clock;
	}

	/**
	 * Sends requests of many keys, each one to four, and many of a few keys. The first
	 * policy has half of the keys, and these few among them; the others share the rest.
	 */
	void sendAll(int keys) {
		for (int i = 0; i < MAX_REQUESTS; i++) {
			for (int key = 0; key < keys; key++) {
				this.clock.putForward(DAY / MAX_REQUESTS / keys);
				if (i <= key / 2 % MAX_REQUESTS) {
					send(key);
				}
				if (key % MAX_REQUESTS == 0) {
					send(key / MAX_REQUESTS % BUSY_KEYS * 2);
				}
			}
		}
	}

	private void send(int key) {
		limiter(key).decide("10." + (key >> 16) + "." + (key >> 8 & 255) + "." + (key & 255), 1);
	}

	private RateLimiter limiter(int key) {
		return this.limiters.get((key % 2 == 0) ? 0 : 1 + key / 2 % (this.limiters.size() - 1));
	}

}
