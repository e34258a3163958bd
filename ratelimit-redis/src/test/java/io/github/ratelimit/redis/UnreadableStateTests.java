package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a key holds and is no state of ours counts as nothing, and is overwritten.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
@ExtendWith(OutputCaptureExtension.class)
class UnreadableStateTests extends OneServer {

	private static final Duration WINDOW = Duration.ofDays(20);

	private static final List<String> NUMBERS = List.of("0/0", "1/0", "-1/0", "-1", "1e300");

	@Parameter
	private ClientKind client;

	private TestStore store;

	@BeforeEach
	void open() {
		this.store = new TestStore(this.client.standalone(redis.port()), TestStore.FORGETFUL, FailureMode.LOCAL);
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(10, WINDOW);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void anotherTypeCountsAsNothing(RateLimitPolicy policy, CapturedOutput output) {
		PolicyDecider states = this.store.open(policy);
		for (byte[] name : new RedisKeys("test", policy.name(), logs(policy)).of("victim")) {
			for (long permits = 0; permits < 2; permits++) {
				RateLimitDecision given = begin(states);
				redis.call("DEL", new String(name));
				redis.call("RPUSH", new String(name), "another's");
				assertThat(states.decide("victim", permits).fallback()).isFalse();
				checkGoesOn(states, given);
			}
		}
		checkToldOnce(policy, output);
	}

	private static int[] logs(RateLimitPolicy policy) {
		return PolicyScript.of(policy).logs();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aTextCountsAsNothing(RateLimitPolicy policy, CapturedOutput output) {
		PolicyDecider states = this.store.open(policy);
		for (String text : List.of("", "7", "nan", "something else", "{\"count\":1}".repeat(100))) {
			RateLimitDecision given = begin(states);
			redis.call("SET", state(policy), text);
			assertThat(states.decide("victim", 1).remaining()).as(text).isEqualTo(9);
			redis.call("SET", state(policy), text);
			checkGoesOn(states, given);
		}
		checkToldOnce(policy, output);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatIsNoNumberCountsAsNothing(RateLimitPolicy policy, CapturedOutput output) {
		PolicyDecider states = this.store.open(policy);
		for (String number : NUMBERS) {
			for (int at : numbers(policy)) {
				RateLimitDecision given = begin(states);
				overwrite(state(policy), at, number);
				assertThat(states.decide("victim", 1).allowed()).as("%s at %d", number, at).isTrue();
				overwrite(state(policy), at, number);
				checkGoesOn(states, given);
			}
		}
		checkToldOnce(policy, output);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aBeginningThatIsNoMomentBlocksNobody(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		for (String bytes : List.of("string.rep('\\0', 11)", "string.rep('\\10', 11)", "string.rep('\\255', 11)")) {
			RateLimitDecision given = begin(states);
			redis.call("EVAL", "return redis.call('SETRANGE', KEYS[1], 0, " + bytes + ")", "1", state(policy));
			assertThat(states.decide("victim", 1).allowed()).as(bytes).isTrue();
			checkGoesOn(states, given);
		}
	}

	/*
	 * Each limit's part begins with a letter.
	 */
	private List<Integer> numbers(RateLimitPolicy policy) {
		begin(this.store.open(policy));
		long length = redis.number("STRLEN", state(policy));
		Stream.Builder<Integer> numbers = Stream.builder();
		int at = ScriptAssembler.HEADER;
		for (RateLimit limit : policy.limits()) {
			List<String> state = ScriptScope.sections(LimitScriptFactory.of(limit, false).files.get(0)).get("state");
			at++;
			for (int i = 1; i < String.join(" ", state).split(", ").length; i++) {
				numbers.add(at);
				at += Double.BYTES;
			}
		}
		assertThat(at).isEqualTo(length);
		return numbers.build().toList();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void timeStampsThatAreNoNumbersCountAsExpired(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		for (String number : NUMBERS) {
			for (int i : logs(policy)) {
				String log = state(policy) + ":log" + i;
				RateLimitDecision given = begin(states);
				for (int at = 0; at < 80; at += Double.BYTES) {
					overwrite(log, at, number);
				}
				checkSane(states.decide("victim", 1));
				checkSane(states.decide("victim", 10));
				checkGoesOn(states, given);
				redis.call("SET", log, "short");
				checkGoesOn(states, states.decide("victim", 1));
				redis.call("DEL", state(policy));
				assertThat(states.decide("victim", 1).remaining()).isEqualTo(9);
			}
		}
	}

	private static String state(RateLimitPolicy policy) {
		return "test:{" + policy.name() + ":victim}";
	}

	private void overwrite(String key, int at, String number) {
		assertThat(
				redis.call("EVAL", "return redis.call('SETRANGE', KEYS[1], ARGV[1], struct.pack('<d', " + number + "))",
						"1", key, "" + at))
			.startsWith(":");
	}

	private RateLimitDecision begin(PolicyDecider states) {
		redis.call("FLUSHALL");
		RateLimitDecision given = states.decide("victim", 3);
		assertThat(given.remaining()).isEqualTo(7);
		return given;
	}

	private void checkGoesOn(PolicyDecider states, RateLimitDecision given) {
		states.refund("victim", 3, given);
		checkSane(states.decide("victim", 0));
		checkSane(states.decide("victim", 1));
		checkSane(states.decide("victim", 10));
		assertThat(this.store.availability().outages()).isZero();
		assertThat(redis.keys()).allSatisfy((key) -> assertThat(redis.number("PTTL", key)).isPositive());
	}

	private static void checkSane(RateLimitDecision decision) {
		assertThat(decision.fallback()).isFalse();
		assertThat(decision.remaining()).isBetween(0L, 10L);
		assertThat(decision.resetAfterNanos()).isBetween(0L, 3 * WINDOW.toNanos());
		assertThat(decision.nextPermitAfterNanos()).isBetween(0L, decision.resetAfterNanos());
		if (!decision.allowed()) {
			assertThat(decision.retryAfterNanos()).isBetween(1L, decision.resetAfterNanos());
		}
	}

	private static void checkToldOnce(RateLimitPolicy policy, CapturedOutput output) {
		assertThat(output.getAll())
			.containsOnlyOnce("A key of the rate limit policy '" + policy.name() + "' held something")
			.doesNotContain("victim");
	}

}
