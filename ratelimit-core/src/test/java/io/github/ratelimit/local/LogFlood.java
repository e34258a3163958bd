package io.github.ratelimit.local;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.PolicyDecider;

/**
 * What a child process does that has little memory: many clients fill large logs, some in
 * a few requests and some in many, and are served all the while.
 */
final class LogFlood {

	static final int CLIENTS = 2000;

	private static final int LIMIT = 100_000;

	private static final int THREADS = 4;

	private static final String LONG_TEXT = "\u0416".repeat(240);

	private LogFlood() {
	}

	/**
	 * Runs the flood, and prints what came of it.
	 * @param arguments none
	 */
	public static void main(String[] arguments) {
		try (LocalRateLimitStore store = new LocalRateLimitStore(RateLimitClock.system(), 100_000)) {
			PolicyDecider log = store.open(RateLimitPolicy.of("log",
					RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, LIMIT, Duration.ofHours(1))));
			PolicyDecider bucket = store.open(RateLimitPolicy.of("bucket",
					RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofHours(1))));
			long allowed = Threads.sum(THREADS, (number) -> {
				long own = 0;
				for (int client = number; client < CLIENTS; client += THREADS) {
					int cost = (client % 100 < THREADS) ? 10 : LIMIT / 20;
					for (int taken = 0; taken < LIMIT; taken += cost) {
						own += log.decide("client" + client, cost).allowed() ? 1 : 0;
					}
					for (int i = 0; i < 200; i++) {
						own += bucket.decide(LONG_TEXT + client + '-' + i, 1).allowed() ? 1 : 0;
					}
				}
				return own;
			});
			System.out.println("allowed " + allowed + ", logs " + log.keys() + ", evicted " + log.evictions()
					+ ", buckets " + bucket.keys());
		}
	}

}
