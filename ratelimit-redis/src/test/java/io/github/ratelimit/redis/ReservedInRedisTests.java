package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.ReservationModel;
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

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void onlyWhoWouldHaveToWaitForTooLongIsRejectedTowardsABan(RateLimitAlgorithm algorithm) {
		PolicyDecider states = server.open(RateLimitPolicy.builder("policy")
			.limit(RateLimit.of(algorithm, 1, SECOND))
			.maxWait(Duration.ofMillis(1500))
			.ban(new RateLimitBan(1))
			.build());
		assertThat(delays(states, 1)).containsExactly(0L);
		RateLimitDecision hasNoPlace = states.decideWithoutDelay("key", 1);
		assertThat(hasNoPlace.queueFull()).isTrue();
		assertThat(hasNoPlace.banned()).isFalse();
		assertThat(delays(states, 1)).containsExactly(1000L);
		assertThat(states.decideWithoutDelay("key", 1).banned()).isTrue();
	}

	/*
	 * The share of a window that was full is one permit until the last microsecond.
	 */
	@Test
	void asManyPermitsAsAWindowHasMicrosecondsAreReservedExactly() {
		RateLimitPolicy policy = RateLimitPolicy.builder("policy")
			.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 1000, Duration.ofMillis(1)))
			.maxWait(Duration.ofMillis(20))
			.build();
		PolicyDecider states = server.open(policy);
		ReservationModel model = new ReservationModel(policy, 1000);
		for (long permits : new long[] { 1000, 1000, 1, 998, 1, 1000, 999, 1, 1, 2, 0 }) {
			assertThat(Decisions.describe(states.decide("key", permits))).as("%d permits", permits)
				.isEqualTo(model.decide(server.clock().nanos() / 1000, permits));
		}
	}

	@Test
	void whatIsReservedOfALongWindowStaysTakenWhenTheServersClockIsSetBack() {
		server.at(86_390);
		PolicyDecider states = server.open(RateLimitPolicy.builder("policy")
			.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 1, Duration.ofDays(1)))
			.maxWait(Duration.ofSeconds(30))
			.build());
		assertThat(delays(states, 1, 1, 1)).containsExactly(0L, 10_000L, -1L);
		server.setBack(Duration.ofHours(2));
		assertThat(delays(states, 1, 1, 1)).containsExactly(-1L, -1L, -1L);
	}

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void nobodyIsOvertakenWhenTheServersClockIsSetBackByHalfAWindow(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(algorithm, 10, Duration.ofSeconds(10));
		assertThat(delays(states, 10, 10).get(0)).isZero();
		long last = delays(states, 5).get(0);
		server.setBack(Duration.ofMillis(500));
		assertThat(delays(states, 1).get(0)).isGreaterThanOrEqualTo(last);
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
