package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * One call decides on as many policies as fit one script, and each has its own state.
 */
@ExtendWith(OutputCaptureExtension.class)
class DecidingTogetherTests extends OneVirtualServer {

	private List<RateLimitDecision> decide(List<RedisStates> states, List<String> keys, long... permits) {
		List<Question> questions = IntStream.range(0, permits.length)
			.mapToObj((i) -> new Question(states.get(i), keys.get(i), permits[i], false))
			.toList();
		return server.runner().run(RedisStates.deciding(questions), Deadline.after(Duration.ofSeconds(20)));
	}

	private List<RedisStates> policies(int count) {
		return IntStream.range(0, count)
			.mapToObj((number) -> server.open("test",
					RateLimitPolicy.of("policy" + number, TestPolicies.limit(TOKEN_BUCKET, 10, Duration.ofHours(1)))))
			.toList();
	}

	@Test
	void moreLimitsThanOnePolicyMayHaveDoNotFit() {
		RateLimit limit = TestPolicies.limit(TOKEN_BUCKET, 10, Duration.ofHours(1));
		RateLimitPolicy many = RateLimitPolicy.builder("many").limits(Collections.nCopies(16, limit)).build();
		List<RedisStates> both = List.of(server.open(many), server.open(RateLimitPolicy.of("one", limit)));
		assertThat(RedisStates.decideTogether(both)).isFalse();
		assertThat(RedisStates.decideTogether(policies(17))).isFalse();
	}

	@Test
	void theScriptOfMostVariablesFits() {
		RateLimit limit = TestPolicies.countingRejected(10, Duration.ofHours(1));
		List<RedisStates> states = IntStream.range(0, 10)
			.mapToObj((number) -> server.open("test",
					RateLimitPolicy.builder("policy" + number)
						.limits(Collections.nCopies((number < 2) ? 2 : 1, limit))
						.build()))
			.toList();
		assertThat(RedisStates.decideTogether(states)).isTrue();
		long[] permits = { 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 };
		List<String> keys = Collections.nCopies(10, "key");
		assertThat(decide(states, keys, permits)).allMatch((decision) -> decision.remaining() == 4);
		assertThat(decide(states, keys, permits)).noneMatch(RateLimitDecision::allowed);
	}

	@Test
	void whatIsNoStateOfAPolicyCountsAsNothingForItAlone(CapturedOutput output) {
		List<RedisStates> states = policies(3);
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
			List<RedisStates> states = new ArrayList<>();
			for (RateLimitAlgorithm algorithm : List.of(TOKEN_BUCKET, FIXED_WINDOW_COUNTER)) {
				RateLimit limit = RandomLimits.exact(random, algorithm, 1000, 52);
				RedisStates each = server.open("test", RateLimitPolicy.of(algorithm.id() + random.nextInt(), limit));
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
