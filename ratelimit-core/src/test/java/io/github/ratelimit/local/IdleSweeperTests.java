package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Idle keys are forgotten without anybody asking for it. The test's clock says which are
 * idle, and real time when they are visited.
 */
class IdleSweeperTests {

	private static final RateLimit LIMIT = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 2, Duration.ofMinutes(1));

	private final ManualClock clock = ManualClock.atMidnight();

	@Test
	void idleKeysAreForgottenAgainAndAgain() {
		try (LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100)) {
			List<PolicyDecider> policies = List.of(store.open(RateLimitPolicy.of("one", LIMIT)),
					store.open(RateLimitPolicy.of("two", LIMIT, LIMIT)));
			for (int i = 0; i < 2; i++) {
				policies.forEach((states) -> states.decide("key", 1));
				this.clock.advance(Duration.ofHours(1));
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.until(() -> policies.stream().allMatch((states) -> states.keys() == 0));
			}
		}
	}

	@Test
	void aClosedStoreDecidesAndOpensPoliciesWithoutAThreadAndForgetsNothing() {
		Set<Thread> before = sweepers();
		LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);
		PolicyDecider states = store.open(RateLimitPolicy.of("one", LIMIT));
		assertThat(sweepers()).anyMatch((thread) -> !before.contains(thread));
		store.close();
		assertThat(states.decide("key", 1).remaining()).isOne();
		this.clock.advance(Duration.ofHours(1));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> before.containsAll(sweepers()));
		assertThat(states.keys()).isOne();
		assertThat(store.open(RateLimitPolicy.of("two", LIMIT)).decide("key", 1).remaining()).isOne();
		LocalRateLimitStore unused = new LocalRateLimitStore(this.clock, 100);
		unused.close();
		assertThat(unused.open(RateLimitPolicy.of("one", LIMIT)).decide("key", 1).remaining()).isOne();
		assertThat(before).containsAll(sweepers());
	}

	private static Set<Thread> sweepers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("ratelimit-sweeper"))
			.collect(Collectors.toSet());
	}

}
