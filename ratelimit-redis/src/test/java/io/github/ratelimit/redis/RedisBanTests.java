package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis bans a key for all instances, however many policies and limits are asked at once.
 */
class RedisBanTests extends AloneAndAmongLooks {

	@ParameterizedTest
	@EnumSource
	void asManyPoliciesAsFitOneScriptBanInIt(RateLimitAlgorithm algorithm) {
		List<PolicyDecider> states = new ArrayList<>();
		while (states.isEmpty() || server.fitOneCall(states)) {
			states.add(server.open(RateLimitPolicy.builder("policy" + states.size())
				.limit(TestPolicies.limit(algorithm, 1, Duration.ofHours(1)))
				.ban(new RateLimitBan(1))
				.build()));
		}
		states.remove(states.size() - 1);
		assertThat(states).hasSizeGreaterThan(5);
		long[] permits = new long[states.size()];
		Arrays.fill(permits, 1);
		assertThat(server.decideTogether(states, permits)).allMatch(RateLimitDecision::allowed);
		List<RateLimitDecision> decisions = server.decideTogether(states, permits);
		assertThat(decisions.get(0).newBan()).isEqualTo(1);
		assertThat(decisions.subList(1, decisions.size())).noneMatch(RateLimitDecision::banned);
	}

	@ParameterizedTest
	@EnumSource
	void asManyLimitsAsOnePolicyMayHaveFitOneScript(RateLimitAlgorithm algorithm) {
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("many").ban(new RateLimitBan(1));
		for (int i = 0; i < 16; i++) {
			builder.limit(TestPolicies.limit(algorithm, 2, Duration.ofMinutes(1 + i)));
		}
		if (algorithm != LEAKY_BUCKET) {
			builder.charge("status >= 400");
		}
		PolicyDecider states = server.open(builder.build());
		RateLimitDecision given = states.decide("key", 1);
		assertThat(given.allowed()).isTrue();
		states.settle("key", 1, 2, given);
		RateLimitDecision rejected = states.decide("key", 2);
		assertThat(rejected.banned()).isTrue();
		assertThat(rejected.retryAfterNanos()).isEqualTo(Duration.ofMinutes(5).toNanos());
	}

	private static final RateLimitPolicy POLICY = RateLimitPolicy.builder("policy")
		.limit(RateLimit.of(FIXED_WINDOW_COUNTER, 1, Duration.ofMinutes(1)))
		.ban(new RateLimitBan(3))
		.build();

	/* Two instances of an application, which take turns. */
	private final PolicyDecider[] instances = { server.open(POLICY), server.open(POLICY) };

	private int turn;

	private PolicyDecider states() {
		return this.instances[this.turn++ % 2];
	}

	/*
	 * A for allowed, R for rejected, or for how many seconds the key is banned.
	 */
	private String outcomes(double... seconds) {
		StringBuilder outcomes = new StringBuilder();
		for (double second : seconds) {
			server.at(second);
			RateLimitDecision decision = states().decide("key", 1);
			outcomes.append(decision.newBan() > 0 ? "ban " + decision.newBan() + " for " : "")
				.append(decision.banned() ? decision.retryAfterNanos() / 1_000_000 / 1000.0
						: decision.allowed() ? "A" : "R")
				.append(' ');
		}
		return outcomes.toString().strip();
	}

	@Test
	void instancesThatTakeTurnsBanTogether() {
		assertThat(outcomes(0, 1, 2, 3)).isEqualTo("A R R ban 1 for 300.0");
		assertThat(outcomes(100, 302.999, 303)).isEqualTo("203.0 0.001 A");
		assertThat(outcomes(304, 305, 306, 307, 906)).isEqualTo("R R ban 2 for 600.0 599.0 A");
	}

	@Test
	void aClockThatIsSetBackMakesNoBanLonger() {
		outcomes(0, 1, 2, 3, 4);
		server.setBack(Duration.ofHours(5));
		assertThat(outcomes(4, 303)).isEqualTo("300.0 1.0");
		assertThat(outcomes(304)).isEqualTo("A");
	}

	@Test
	void whatIsNoBanCountsAsNone() {
		for (String text : new String[] { "", "something else", "B".repeat(33), "B" + "\u007f".repeat(40) }) {
			beginADay();
			outcomes(0, 1, 2, 3);
			server.redis().call("SET", "test:{policy:key}:ban", text);
			assertThat(outcomes(4, 5, 6, 7)).isEqualTo("R R ban 1 for 300.0 299.0");
		}
		beginADay();
		outcomes(0, 1, 2, 3);
		server.redis().call("DEL", "test:{policy:key}:ban");
		server.redis().call("RPUSH", "test:{policy:key}:ban", "another's");
		assertThat(outcomes(4, 5, 6, 7)).isEqualTo("R R ban 1 for 300.0 299.0");
	}

}
