package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Instances that do not agree on a key's plan decide on it in turn. One that only rejects
 * or looks leaves it to the other as it was.
 */
class DisagreeingInstancesTests extends OneVirtualServer {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@AutoClose
	private final LocalRateLimitStore local = new LocalRateLimitStore(server.clock(), 100);

	private static RateLimitPolicy policy(RateLimitAlgorithm algorithm, long capacity, Duration window) {
		return RateLimitPolicy.of("policy", TestPolicies.limit(algorithm, capacity, window));
	}

	static Stream<Arguments> stores() {
		return Stream.of(RateLimitAlgorithm.values())
			.flatMap((algorithm) -> Stream.of(arguments(algorithm, "local"), arguments(algorithm, "redis")));
	}

	private PolicyDecider open(String store, RateLimitPolicy policy) {
		return store.equals("local") ? this.local.open(policy) : server.open(policy);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void limitsThatRejectCarryOverAtOnce(RateLimitAlgorithm algorithm, String store) {
		PolicyDecider pro = open(store, policy(algorithm, 6000, MINUTE));
		PolicyDecider free = pro.under(policy(algorithm, 60, MINUTE));
		pro.decide("key", 500);
		assertThat(free.decide("key", 0).remaining()).isZero();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
		assertThat(free.decide("key", 61).allowed()).isFalse();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		// in the same window nothing is lowered, so that nobody gains by a change
		boolean lowered = algorithm != RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(lowered ? 5940 : 5500);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void theLowerLimitsKeepTheWaitThatTheyHaveNamed(RateLimitAlgorithm algorithm, String store) {
		PolicyDecider pro = open(store, policy(algorithm, 6000, MINUTE));
		PolicyDecider free = pro.under(policy(algorithm, 60, MINUTE));
		pro.decide("key", 3000);
		long retry = free.decide("key", 1).retryAfterNanos();
		long some = retry / 2000 * 1000;
		server.clock().advanceNanos(some);
		pro.decide("key", 0);
		assertThat(free.decide("key", 1).retryAfterNanos()).isEqualTo(retry - some);
		server.clock().advanceNanos(retry - some);
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("stores")
	void whatIsAllowedUnderTheLowerLimitsIsTakenFromBoth(RateLimitAlgorithm algorithm, String store) {
		PolicyDecider pro = open(store, policy(algorithm, 6000, MINUTE));
		PolicyDecider free = pro.under(policy(algorithm, 60, MINUTE));
		pro.decide("key", 30);
		assertThat(free.decide("key", 31).allowed()).isFalse();
		assertThat(free.decide("key", 20).remaining()).isEqualTo(10);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5950);
		assertThat(free.decide("key", 11).allowed()).isFalse();
		assertThat(pro.decide("key", 5950).allowed()).isTrue();
		assertThat(free.decide("key", 0).remaining()).isZero();
	}

}
