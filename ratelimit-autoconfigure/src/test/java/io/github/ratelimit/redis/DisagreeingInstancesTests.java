package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.RateLimitStates;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Instances that do not agree on a key's plan decide on it in turn. One that only rejects
 * or looks leaves it to the other as it was.
 */
class DisagreeingInstancesTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final VirtualServer server = new VirtualServer();

	private static final LocalRateLimitStore local = new LocalRateLimitStore(server.clock(), 100);

	@AfterAll
	static void stop() {
		local.close();
		server.close();
	}

	private static RateLimitPolicy policy(RateLimitAlgorithm algorithm, long capacity, Duration window) {
		return RateLimitPolicy.of("policy", TestPolicies.limit(algorithm, capacity, window));
	}

	static Stream<Arguments> stores() {
		return Stream.of(RateLimitAlgorithm.values())
			.flatMap((algorithm) -> Stream.of(arguments(algorithm, "local"), arguments(algorithm, "redis")));
	}

	private static RateLimitStates open(String store, RateLimitPolicy policy) {
		server.beginADay();
		return store.equals("local") ? local.open(policy) : server.open(policy);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void theHigherLimitsGoOnAsIfTheLowerOnesHadNotRejected(RateLimitAlgorithm algorithm, String store) {
		for (Duration window : new Duration[] { MINUTE, MINUTE.dividedBy(2), MINUTE.multipliedBy(2) }) {
			RateLimitStates pro = open(store, policy(algorithm, 6000, MINUTE));
			RateLimitStates free = pro.under(policy(algorithm, 60, window));
			for (int i = 0; i < 40; i++) {
				server.clock().advanceNanos(100_000_000);
				RateLimitDecision expected = pro.decide("alone", 500);
				assertSame(pro.decide("key", 500), expected);
				assertThat(free.decide("key", 0).remaining()).isZero();
				server.clock().advanceNanos(50_000_000);
				assertThat(free.decide("key", 1).allowed()).isFalse();
				assertThat(free.decide("key", 1).allowed()).isFalse();
				assertSame(pro.decide("key", 0), pro.decide("alone", 0));
			}
		}
	}

	private static void assertSame(RateLimitDecision decision, RateLimitDecision expected) {
		assertThat(decision.allowed()).isEqualTo(expected.allowed());
		assertThat(decision.remaining()).isEqualTo(expected.remaining());
		assertThat(decision.resetAfterNanos()).isEqualTo(expected.resetAfterNanos());
		assertThat(decision.nextPermitAfterNanos()).isEqualTo(expected.nextPermitAfterNanos());
	}

	@ParameterizedTest
	@MethodSource("stores")
	void theLowerLimitsKeepTheWaitThatTheyHaveNamed(RateLimitAlgorithm algorithm, String store) {
		RateLimitStates pro = open(store, policy(algorithm, 6000, MINUTE));
		RateLimitStates free = pro.under(policy(algorithm, 60, MINUTE));
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
		RateLimitStates pro = open(store, policy(algorithm, 6000, MINUTE));
		RateLimitStates free = pro.under(policy(algorithm, 60, MINUTE));
		pro.decide("key", 30);
		assertThat(free.decide("key", 31).allowed()).isFalse();
		assertThat(free.decide("key", 20).remaining()).isEqualTo(10);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5950);
		assertThat(free.decide("key", 11).allowed()).isFalse();
		assertThat(pro.decide("key", 5950).allowed()).isTrue();
		assertThat(free.decide("key", 0).remaining()).isZero();
	}

	@ParameterizedTest
	@MethodSource("stores")
	void whatIsGivenBackAfterALowerLimitHasRejectedIsThereAgain(RateLimitAlgorithm algorithm, String store) {
		RateLimitStates pro = open(store, policy(algorithm, 6000, MINUTE));
		RateLimitStates free = pro.under(policy(algorithm, 60, MINUTE));
		RateLimitDecision given = pro.decide("key", 500);
		server.clock().advanceNanos(1000);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		pro.giveBack("key", 480, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5980);
		assertThat(free.decide("key", 1).remaining()).isEqualTo(39);
	}

	@ParameterizedTest
	@ValueSource(strings = { "local", "redis" })
	void aRequestThatCannotWaitUnderOneLeavesTheQueueOfTheOther(String store) {
		for (boolean both : new boolean[] { false, true }) {
			RateLimitStates pro = open(store, queue(6000, both));
			RateLimitStates free = pro.under(queue(60, both));
			pro.decide("key", 30);
			assertThat(free.decideAtOnce("key", 1).queueFull()).isTrue();
			server.clock().advance(Duration.ofSeconds(1));
			assertThat(room(pro.decide("key", 0))).isEqualTo(6000);
			pro.decide("key", 90);
			assertThat(free.decideAtOnce("key", 1).queueFull()).isFalse();
			server.clock().advance(Duration.ofSeconds(1));
			assertThat(room(pro.decide("key", 0))).isEqualTo(6000);
		}
	}

	private static long room(RateLimitDecision decision) {
		return decision.limits().isEmpty() ? decision.remaining() : decision.limits().get(0).remaining();
	}

	private static RateLimitPolicy queue(long capacity, boolean both) {
		RateLimit queue = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(capacity)
			.burst(capacity - 1)
			.window(MINUTE)
			.build();
		RateLimit counter = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 6000, MINUTE);
		return both ? RateLimitPolicy.of("policy", queue, counter) : RateLimitPolicy.of("policy", queue);
	}

	@ParameterizedTest
	@EnumSource
	void whatOnlyEndsAsAStateBesideAnotherBeginsAnew(RateLimitAlgorithm algorithm) {
		RateLimitStates states = open("redis", policy(algorithm, 60, MINUTE));
		for (String value : List.of("string.rep('\\255', 8)", "string.rep('\\255', 300)",
				"string.rep('x', 60) .. struct.pack('<I2I4B', 0, 0, 255)",
				"string.rep('x', 60) .. struct.pack('<I2I4B', 9, 40, 255)",
				"string.rep('x', 60) .. struct.pack('<I2I4B', 60, 60, 255)")) {
			server.redis().call("EVAL", "return redis.call('SET', KEYS[1], " + value + ")", "1", "test:{policy:key}");
			assertThat(states.decide("key", 20).remaining()).as(value).isEqualTo(40);
			assertThat(states.decide("key", 1).remaining()).as(value).isEqualTo(39);
		}
	}

}
