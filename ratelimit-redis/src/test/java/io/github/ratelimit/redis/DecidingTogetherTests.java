package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * One call that decides on several policies says what each of them would say alone, if
 * all were looked at first and then all were asked, or none.
 */
@ExtendWith(OutputCaptureExtension.class)
class DecidingTogetherTests extends OneVirtualServer {

	private static final String[] KEYS = { "alice", "bob" };

	private List<RateLimitDecision> decide(List<PolicyDecider> states, List<String> keys, long... permits) {
		return decide(states, keys, permits, new boolean[permits.length]);
	}

	private List<RateLimitDecision> decide(List<PolicyDecider> states, List<String> keys, long[] permits,
			boolean[] withoutDelay) {
		List<Question> questions = IntStream.range(0, permits.length)
			.mapToObj((i) -> Question.of(states.get(i), keys.get(i), permits[i], withoutDelay[i]))
			.toList();
		return server.store("test").sessions().get().decide(questions);
	}

	@Test
	void randomTracesAreDecidedAsIfEachPolicyWereAskedInTurn() {
		RandomCases.check(150, (random) -> {
			server.redis().call("FLUSHALL");
			List<RateLimitPolicy> policies = IntStream.range(0, 1 + random.nextInt(4))
				.mapToObj((number) -> RateLimitPolicy.builder("policy" + number)
					.limits(RandomLimits.policy(random, 1000, 52).limits())
					.build())
				.toList();
			List<PolicyDecider> together = policies.stream().map((policy) -> server.open("together", policy)).toList();
			List<PolicyDecider> alone = policies.stream().map((policy) -> server.open("alone", policy)).toList();
			RateLimitDecision[] last = alone.stream()
				.map((each) -> each.decide("alice", 0))
				.toArray(RateLimitDecision[]::new);
			for (int step = 0; step < 15; step++) {
				int who = random.nextInt(last.length);
				server.clock()
					.advanceNanos(
							RandomLimits.pause(random, last[who], policies.get(who).limits().get(0)) / 1000 * 1000);
				if (random.nextInt(20) == 0) {
					server.clock().advanceNanos(-1000 * RandomLimits.upTo(random, 100_000_000_000L));
				}
				last = checkSame(random, policies, together, alone, last);
			}
		});
	}

	private RateLimitDecision[] checkSame(Random random, List<RateLimitPolicy> policies, List<PolicyDecider> together,
			List<PolicyDecider> alone, RateLimitDecision[] last) {
		int count = last.length;
		long[] permits = new long[count];
		boolean[] withoutDelay = new boolean[count];
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			permits[i] = random.nextBoolean() ? 1 : RandomLimits.permits(random, last[i], policies.get(i).capacity());
			withoutDelay[i] = random.nextInt(3) == 0;
			keys.add(KEYS[random.nextInt(KEYS.length)]);
		}
		List<RateLimitDecision> expected = decideInTurn(policies, alone, keys, permits, withoutDelay);
		List<RateLimitDecision> decisions = decide(together, keys, permits, withoutDelay);
		for (int i = 0; i < count; i++) {
			RateLimitDecision inTurn = expected.get(i);
			if (inTurn != null) {
				assertThat(describe(decisions.get(i))).as("%d of %s", i, policies).isEqualTo(describe(inTurn));
			}
			else {
				assertThat(decisions.get(i).allowed()).as("%d of %s", i, policies).isFalse();
			}
		}
		return decisions.toArray(RateLimitDecision[]::new);
	}

	/*
	 * What passes is known from a look, because there are no other requests. A limit that
	 * counts rejected requests is not asked after another has rejected, because it is not
	 * to see them.
	 */
	private static List<RateLimitDecision> decideInTurn(List<RateLimitPolicy> policies, List<PolicyDecider> states,
			List<String> keys, long[] permits, boolean[] withoutDelay) {
		boolean[] agrees = new boolean[permits.length];
		boolean allowed = true;
		for (int i = 0; i < permits.length; i++) {
			agrees[i] = decide(states.get(i), keys.get(i), 0, withoutDelay[i]).remaining() >= permits[i];
			allowed &= agrees[i];
		}
		List<RateLimitDecision> decisions = new ArrayList<>();
		boolean rejected = false;
		for (int i = 0; i < permits.length; i++) {
			if (rejected && !agrees[i] && policies.get(i).limits().stream().anyMatch(RateLimit::countRejected)) {
				decisions.add(null);
				continue;
			}
			rejected |= !agrees[i];
			RateLimitDecision decision = (agrees[i] && !allowed && permits[i] > 0)
					? states.get(i).decide(keys.get(i), 0)
					: decide(states.get(i), keys.get(i), permits[i], withoutDelay[i]);
			assertThat(decision.allowed()).isEqualTo(agrees[i]);
			decisions.add(decision);
		}
		return decisions;
	}

	private static RateLimitDecision decide(PolicyDecider states, String key, long permits, boolean withoutDelay) {
		return withoutDelay ? states.decideWithoutDelay(key, permits) : states.decide(key, permits);
	}

	private static String describe(RateLimitDecision decision) {
		return Decisions.describe(decision) + (decision.queueFull() ? ", queue full" : "");
	}

	private List<PolicyDecider> policies(int count) {
		return IntStream.range(0, count)
			.mapToObj((number) -> server.open("test",
					RateLimitPolicy.of("policy" + number, TestPolicies.limit(TOKEN_BUCKET, 10, Duration.ofHours(1)))))
			.toList();
	}

	@Test
	void moreLimitsThanOnePolicyMayHaveDoNotFit() {
		RateLimit limit = TestPolicies.limit(TOKEN_BUCKET, 10, Duration.ofHours(1));
		RateLimitPolicy many = RateLimitPolicy.builder("many").limits(Collections.nCopies(16, limit)).build();
		List<PolicyDecider> both = List.of(server.open(many), server.open(RateLimitPolicy.of("one", limit)));
		assertThat(server.fitOneCall(both)).isFalse();
		assertThat(server.fitOneCall(policies(17))).isFalse();
	}

	@Test
	void theScriptOfMostVariablesFits() {
		RateLimit limit = TestPolicies.countingRejected(10, Duration.ofHours(1));
		List<PolicyDecider> states = IntStream.range(0, 10)
			.mapToObj((number) -> server.open("test",
					RateLimitPolicy.builder("policy" + number)
						.limits(Collections.nCopies((number < 1) ? 2 : 1, limit))
						.build()))
			.toList();
		assertThat(server.fitOneCall(states)).isTrue();
		long[] permits = { 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 };
		List<String> keys = Collections.nCopies(10, "key");
		assertThat(decide(states, keys, permits)).allMatch((decision) -> decision.remaining() == 4);
		assertThat(decide(states, keys, permits)).noneMatch(RateLimitDecision::allowed);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEAKY_BUCKET")
	void noScriptOfManyPoliciesThatLetRequestsWaitHasTooManyVariables(RateLimitAlgorithm algorithm) {
		List<PolicyDecider> states = IntStream.range(0, 11)
			.mapToObj((number) -> server.open("test",
					RateLimitPolicy.builder("policy" + number)
						.limit(RateLimit.of(algorithm, 10, Duration.ofHours(1)))
						.maxWait(Duration.ofMinutes(30))
						.ban((number == 0) ? new RateLimitBan(100) : null)
						.build()))
			.toList();
		List<String> keys = Collections.nCopies(11, "key");
		long[] permits = LongStream.generate(() -> 6).limit(11).toArray();
		assertThat(decide(states, keys, permits)).doesNotContainNull()
			.allMatch((decision) -> decision.remaining() == 4);
	}

	@Test
	void whatIsNoStateOfAPolicyCountsAsNothingForItAlone(CapturedOutput output) {
		List<PolicyDecider> states = policies(3);
		List<String> keys = List.of("key", "key", "key");
		long[] permits = { 1, 1, 1 };
		decide(states, keys, permits);
		for (String[] unreadable : new String[][] { { "SET", "something else" }, { "SET", "" },
				{ "RPUSH", "another's" } }) {
			server.redis().call("DEL", "test:{policy1:key}");
			server.redis().call(unreadable[0], "test:{policy1:key}", unreadable[1]);
			assertThat(decide(states, keys, permits).get(1).remaining()).isEqualTo(9);
		}
		assertThat(decide(states, keys, permits)).extracting(RateLimitDecision::remaining).containsExactly(5L, 8L, 5L);
		assertThat(output.getAll()).containsOnlyOnce("A key of the rate limit policy 'policy1' held something")
			.doesNotContain("'policy0'", "'policy2'");
	}

	@Test
	void aServerKeepsOneScriptForAllPoliciesOfTheSameKinds() {
		server.redis().call("SCRIPT", "FLUSH");
		RandomCases.check(20, (random) -> {
			List<PolicyDecider> states = new ArrayList<>();
			for (RateLimitAlgorithm algorithm : List.of(TOKEN_BUCKET, FIXED_WINDOW_COUNTER)) {
				RateLimit limit = RandomLimits.exact(random, algorithm, 1000, 52);
				PolicyDecider each = server.open("test", RateLimitPolicy.of(algorithm.id() + random.nextInt(), limit));
				RateLimitDecision given = each.decide("key", 1);
				each.decide("key", 0);
				each.decideWithoutDelay("key", 1);
				each.refund("key", 1, given);
				states.add(each);
			}
			decide(states, List.of("key", "key"), new long[] { 1, 1 + random.nextInt(3) });
			assertThat(server.redis().info("memory", "number_of_cached_scripts")).isEqualTo("5");
		});
	}

}
