package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import io.github.ratelimit.request.PermitRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Decisions of many threads while the numbers change.
 */
class OverrideRaceTests extends LocalPolicies {

	private static final int THREADS = 64;

	private static final int CHANGES = 200;

	private static final long DEFINED = 1000;

	private static final long OVERRIDDEN = 10;

	private final StoreRateLimiterRegistry registry = registry();

	private final StoreRateLimiter limiter = this.registry.register(RateLimitPolicy.of("api", bucket(DEFINED)));

	/* Odd while the numbers change, and -1 at the end. */
	private final AtomicLong stamp = new AtomicLong();

	private final LongAdder made = new LongAdder();

	@Test
	void everyDecisionIsUnderOneVersionAndUnderTheNewOneOnceTheChangeReturned() {
		List<Long> settled = Threads.run(THREADS + 1,
				(thread) -> (thread == 0) ? change() : decide("thread" + thread + "-"));
		assertThat(settled).as("decisions between changes").anyMatch((decisions) -> decisions > 0);
	}

	private long change() {
		RateLimitOverride override = RateLimitOverride.of("api").limit(bucket(OVERRIDDEN)).build();
		try {
			for (int i = 0; i < CHANGES; i++) {
				this.stamp.incrementAndGet();
				if (i % 2 == 0) {
					this.registry.overrides().put(override);
				}
				else {
					this.registry.overrides().remove(override.target());
				}
				this.stamp.incrementAndGet();
				long enough = this.made.sum() + THREADS;
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.pollInterval(Duration.ofNanos(100_000))
					.until(() -> this.made.sum() >= enough);
			}
			return 0;
		}
		finally {
			this.stamp.set(-1);
		}
	}

	private long decide(String name) {
		long settled = 0;
		long before = this.stamp.get();
		for (int i = 0; before >= 0; i++) {
			PermitRequest request = PermitRequest.of(this.limiter, name + i, 1);
			long limit = request.effectivePolicy().policy().capacity();
			assertThat(limit).isIn(DEFINED, OVERRIDDEN);
			assertThat(request.effectivePolicy().decide(request.key(), 1, false).remaining()).isEqualTo(limit - 1);
			this.made.increment();
			long after = this.stamp.get();
			if (before == after && before % 2 == 0) {
				assertThat(limit).isEqualTo((before % 4 == 0) ? DEFINED : OVERRIDDEN);
				settled++;
			}
			before = after;
		}
		return settled;
	}

}
