package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Decisions of many threads while the numbers change.
 */
class OverrideRaceTests {

	private static final int THREADS = 64;

	private static final int CHANGES = 200;

	private static final long DEFINED = 1000;

	private static final long OVERRIDDEN = 10;

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 100_000);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final StoreRateLimiter limiter = this.registry.register(RateLimitPolicy.of("api", limit(DEFINED)));

	/* Odd while the numbers change. */
	private final AtomicLong stamp = new AtomicLong();

	private final LongAdder made = new LongAdder();

	/* The limit at an even stamp is the defined one at multiples of four. */
	private static long limitAt(long stamp) {
		return (stamp % 4 == 0) ? DEFINED : OVERRIDDEN;
	}

	@Test
	void everyDecisionIsUnderOneVersionAndUnderTheNewOneOnceTheChangeReturned() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Future<Long>> checked = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				String name = "thread" + i + "-";
				checked.add(threads.submit(() -> decide(name)));
			}
			RateLimitOverrides overrides = this.registry.overrides();
			for (int i = 0; i < CHANGES; i++) {
				this.stamp.incrementAndGet();
				if (i % 2 == 0) {
					overrides.put(RateLimitOverride.of("api").limit(limit(OVERRIDDEN)).build());
				}
				else {
					overrides.remove(new RateLimitOverride.Target("api", null, null));
				}
				this.stamp.incrementAndGet();
				long enough = this.made.sum() + THREADS;
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.pollInterval(Duration.ofNanos(100_000))
					.until(() -> this.made.sum() >= enough);
			}
			this.stamp.set(-1);
			long settled = 0;
			for (Future<Long> each : checked) {
				settled += each.get(1, TimeUnit.MINUTES);
			}
			assertThat(settled).as("decisions between changes").isPositive();
		}
		finally {
			threads.shutdownNow();
			this.store.close();
		}
	}

	private long decide(String name) {
		long settled = 0;
		long before = this.stamp.get();
		for (int i = 0; before >= 0; i++) {
			PermitRequest request = PermitRequest.of(this.limiter, name + i, 1);
			Acquisition.Entry entry = new Acquisition.Entry(request,
					request.version().decide(request.key(), request.permits(), false));
			long limit = entry.policy().limits().get(0).limit();
			assertThat(limit).isIn(DEFINED, OVERRIDDEN);
			assertThat(entry.decision().remaining()).isEqualTo(limit - 1);
			this.made.increment();
			long after = this.stamp.get();
			if (before == after && before % 2 == 0) {
				assertThat(limit).isEqualTo(limitAt(before));
				settled++;
			}
			before = after;
		}
		return settled;
	}

	private static RateLimit limit(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

}
