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
import io.github.ratelimit.store.PolicyDecider;
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
 * Which policies one call decides on, and what becomes of what is no state.
 */
@ExtendWith(OutputCaptureExtension.class)
class DecidingTogetherTests extends OneVirtualServer {

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
						.limits(Collections.nCopies((number < 2) ? 2 : 1, limit))
						.build()))
			.toList();
		assertThat(server.fitOneCall(states)).isTrue();
		long[] permits = { 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 };
		assertThat(server.decideTogether(states, permits)).allMatch((decision) -> decision.remaining() == 4);
		assertThat(server.decideTogether(states, permits)).noneMatch(RateLimitDecision::allowed);
	}

	@Test
	void whatIsNoStateOfAPolicyCountsAsNothingForItAlone(CapturedOutput output) {
		List<PolicyDecider> states = policies(3);
		long[] permits = { 1, 1, 1 };
		server.decideTogether(states, permits);
		for (String[] unreadable : new String[][] { { "SET", "something else" }, { "SET", "" },
				{ "RPUSH", "another's" } }) {
			server.redis().call("DEL", "test:{policy1:key}");
			server.redis().call(unreadable[0], "test:{policy1:key}", unreadable[1]);
			assertThat(server.decideTogether(states, permits).get(1).remaining()).isEqualTo(9);
		}
		assertThat(server.decideTogether(states, permits)).extracting(RateLimitDecision::remaining)
			.containsExactly(5L, 8L, 5L);
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
			server.decideTogether(states, 1, 1 + random.nextInt(3));
			assertThat(server.redis().info("memory", "number_of_cached_scripts")).isEqualTo("5");
		});
	}

}
