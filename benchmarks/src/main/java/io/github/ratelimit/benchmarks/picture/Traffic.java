package io.github.ratelimit.benchmarks.picture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;

/**
 * Requests of one client: a burst around the edge of a window, a steady stream, and a
 * burst after a pause.
 */
final class Traffic {

	static final double SECONDS = 30;

	private static final double NANOS = 1e9;

	private Traffic() {
	}

	/**
	 * When requests arrive.
	 * @return seconds since the beginning, which is the edge of a window
	 */
	static List<Double> arrivals() {
		DoubleStream edge = IntStream.range(0, 12).mapToDouble((i) -> 8.2 + i * 0.32);
		DoubleStream steady = IntStream.range(0, 9).mapToDouble((i) -> 14 + i);
		DoubleStream burst = IntStream.range(0, 8).mapToDouble((i) -> 27 + i * 0.32);
		return DoubleStream.concat(DoubleStream.concat(edge, steady), burst).boxed().toList();
	}

	/**
	 * What a limit makes of them.
	 * @param limit the limit
	 * @return an outcome for each request, in order
	 */
	static List<Outcome> under(RateLimit limit) {
		long start = Duration.ofDays(20_000).toNanos();
		AtomicLong now = new AtomicLong(start);
		List<Outcome> outcomes = new ArrayList<>();
		try (LocalRateLimitStore store = new LocalRateLimitStore(now::get, 1)) {
			RateLimiter limiter = new StoreRateLimiterRegistry(store, List.of())
				.register(RateLimitPolicy.of("picture", limit));
			for (double arrival : arrivals()) {
				now.set(start + Math.round(arrival * NANOS));
				RateLimitDecision decision = limiter.decide("client", 1);
				outcomes.add(new Outcome(arrival, decision.allowed(), decision.delayNanos() / NANOS));
			}
		}
		return outcomes;
	}

	/**
	 * What became of a request.
	 *
	 * @param arrival when it arrived, in seconds
	 * @param allowed whether it passed
	 * @param delay how long it had to wait first, in seconds
	 */
	record Outcome(double arrival, boolean allowed, double delay) {
	}

}
