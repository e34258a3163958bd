package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is reserved in Redis, where the server's time, or the policy, is another one
 * afterwards.
 */
class ReservedInRedisTests extends OneVirtualServer {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static PolicyDecider open(RateLimitAlgorithm algorithm, long limit, Duration maxWait) {
		return server.open(RateLimitPolicy.builder("policy")
			.limit(RateLimit.of(algorithm, limit, SECOND))
			.maxWait(maxWait)
			.build());
	}

	/* In milliseconds, or -1 of a rejection. */
	private static List<Long> delays(PolicyDecider states, long... permits) {
		return LongStream.of(permits).mapToObj((each) -> {
			RateLimitDecision decision = states.decide("key", each);
			return decision.allowed() ? decision.delay().toMillis() : -1;
		}).toList();
	}

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void whatIsReservedStaysAsFarAheadWhenTheServersClockIsSetBack(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(algorithm, 1, Duration.ofSeconds(10));
		assertThat(delays(states, 1, 1, 1)).containsExactly(0L, 1000L, 2000L);
		server.setBack(Duration.ofHours(1));
		assertThat(delays(states, 1)).containsExactly(3000L);
		server.at(2);
		assertThat(delays(states, 1)).containsExactly(2000L);
	}

	@Test
	void aRingThatGoesRoundKeepsItsOrderWhenTheServersClockIsSetBack() {
		PolicyDecider states = open(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 2, Duration.ofSeconds(2));
		for (int second = 0; second < 7; second++) {
			server.at(second);
			assertThat(delays(states, 2)).doesNotContain(-1L);
		}
		assertThat(delays(states, 1)).containsExactly(1000L);
		server.setBack(Duration.ofHours(1));
		assertThat(delays(states, 1, 1)).containsExactly(1000L, 2000L);
	}

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void whatIsReservedCountsUnderAPolicyInWhichNobodyWaits(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(algorithm, 1, Duration.ofSeconds(10));
		assertThat(delays(states, 1, 1, 1)).containsExactly(0L, 1000L, 2000L);
		PolicyDecider plain = server.open(RateLimitPolicy.of("policy", RateLimit.of(algorithm, 1, SECOND)));
		for (double second : new double[] { 0, 1, 1.999, 2, 2.999 }) {
			server.at(second);
			assertThat(delays(plain, 1)).as("after %s s", second).containsExactly(-1L);
		}
		server.at(4);
		assertThat(delays(plain, 1)).containsExactly(0L);
	}

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void whatCountsUnderAPolicyInWhichNobodyWaitsIsWaitedFor(RateLimitAlgorithm algorithm) {
		PolicyDecider plain = server.open(RateLimitPolicy.of("policy", RateLimit.of(algorithm, 1, SECOND)));
		assertThat(delays(plain, 1, 1)).containsExactly(0L, -1L);
		assertThat(delays(open(algorithm, 1, Duration.ofSeconds(10)), 1, 1)).containsExactly(1000L, 2000L);
	}

}
