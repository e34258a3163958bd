package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis bans keys as this process does, decision for decision, whichever instance asks
 * and however many policies at once.
 */
class RedisBanTests extends OneVirtualServer {

	/* Those whose times are as many ticks of this process as of the server. */
	private static final RateLimitAlgorithm[] ALGORITHMS = { TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW_COUNTER,
			SLIDING_WINDOW_LOG };

	@Test
	void instancesBanAsThisProcessDoes() {
		RandomCases.check(80, (random) -> check(random, (local, policies) -> {
			RedisStates[] instances = { server.open(policies.get(0)), server.open(policies.get(0)) };
			PolicyDecider twin = local.open(policies.get(0));
			for (int step = 0; step < 60; step++) {
				pause(random, policies);
				long permits = random.nextInt(3);
				assertThat(Decisions.describe(instances[random.nextInt(2)].decide("key", permits)))
					.isEqualTo(Decisions.describe(twin.decide("key", permits)));
			}
		}));
	}

	@Test
	void severalPoliciesBanInOneCallAsOneAfterTheOther() {
		RandomCases.check(60, (random) -> check(random, (local, policies) -> {
			List<RedisStates> states = policies.stream().map(server::open).toList();
			List<PolicyDecider> twins = policies.stream().map(local::open).toList();
			for (int step = 0; step < 60; step++) {
				pause(random, policies);
				checkTogether(states, twins, new long[] { random.nextInt(3), random.nextInt(2), random.nextInt(2) });
			}
		}));
	}

	private static void check(Random random, BiConsumer<LocalRateLimitStore, List<RateLimitPolicy>> check) {
		server.redis().call("FLUSHALL");
		List<RateLimitPolicy> policies = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			RateLimitAlgorithm algorithm = ALGORITHMS[random.nextInt(ALGORITHMS.length)];
			RateLimit limit = TestPolicies.limit(algorithm, 1L << random.nextInt(3), Duration.ofSeconds(8));
			policies.add(banning(random, "bans" + i, limit));
		}
		try (LocalRateLimitStore local = new LocalRateLimitStore(server.clock(), 100)) {
			check.accept(local, policies);
		}
	}

	private static RateLimitPolicy banning(Random random, String name, RateLimit limit) {
		Duration first = Duration.ofMillis(1 + RandomLimits.upTo(random, 30_000));
		return RateLimitPolicy.builder(name)
			.limit(limit)
			.ban(RateLimitBan.builder()
				.after(1 + random.nextInt(random.nextBoolean() ? 3 : 12))
				.within(Duration.ofMillis(1 + RandomLimits.upTo(random, 60_000)))
				.duration(first)
				.multiplier(1 + random.nextInt(30) / 10.0)
				.max(first.multipliedBy(1 + random.nextInt(30)))
				.build())
			.build();
	}

	private static void pause(Random random, List<RateLimitPolicy> policies) {
		RateLimitBan ban = policies.get(random.nextInt(policies.size())).ban();
		server.clock().advanceNanos(switch (random.nextInt(6)) {
			case 0 -> ban.within().toNanos();
			case 1 -> ban.duration(1 + random.nextInt(4)).toNanos();
			case 2 -> RandomLimits.upTo(random, 8_000_000) * 1000;
			default -> 0;
		});
	}

	/*
	 * The first policy that rejects has rejected, and no later one has seen the request.
	 */
	private static void checkTogether(List<RedisStates> states, List<PolicyDecider> twins, long[] permits) {
		List<RateLimitDecision> decisions = server.decideTogether(states, permits);
		int rejecting = 0;
		while (rejecting < 3 && twins.get(rejecting).decide("key", 0).remaining() >= permits[rejecting]) {
			rejecting++;
		}
		for (int i = 0; i < 3; i++) {
			if (rejecting == 3 || rejecting == i) {
				assertThat(Decisions.describe(decisions.get(i)))
					.isEqualTo(Decisions.describe(twins.get(i).decide("key", permits[i])));
			}
		}
		for (int i = 0; i < 3; i++) {
			assertThat(Decisions.describe(states.get(i).decide("key", 0)))
				.isEqualTo(Decisions.describe(twins.get(i).decide("key", 0)));
		}
	}

	@Test
	void whatIsDecidedTogetherIsAlsoKeptOutByABan() {
		RateLimit one = RateLimit.of(FIXED_WINDOW_COUNTER, 1, Duration.ofMinutes(1));
		RateLimit many = RateLimit.of(FIXED_WINDOW_COUNTER, 100, Duration.ofMinutes(1));
		RedisStates roomy = server.open(RateLimitPolicy.of("roomy", many));
		RedisStates strict = server
			.open(RateLimitPolicy.builder("strict").limit(one).ban(RateLimitBan.builder().after(1).build()).build());
		List<RedisStates> both = List.of(roomy, strict);
		long[] permits = { 1, 1 };
		assertThat(server.decideTogether(both, permits)).allMatch(RateLimitDecision::allowed);
		for (int i = 0; i < 2; i++) {
			List<RateLimitDecision> decisions = server.decideTogether(both, permits);
			assertThat(decisions).extracting(RateLimitDecision::allowed).containsExactly(true, false);
			assertThat(decisions).extracting(RateLimitDecision::banned).containsExactly(false, true);
			server.clock().advanceNanos(Duration.ofMinutes(2).toNanos());
		}
		assertThat(roomy.decide("key", 0).remaining()).isEqualTo(100);
	}

	@ParameterizedTest
	@EnumSource
	void asManyPoliciesAsFitOneScriptBanInIt(RateLimitAlgorithm algorithm) {
		List<RedisStates> states = new ArrayList<>();
		while (states.isEmpty() || RedisStates.decideTogether(states)) {
			states.add(server.open(RateLimitPolicy.builder("policy" + states.size())
				.limit(TestPolicies.limit(algorithm, 1, Duration.ofHours(1)))
				.ban(RateLimitBan.builder().after(1).build())
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
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder("many").ban(RateLimitBan.builder().after(1).build());
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
		.ban(RateLimitBan.builder().build())
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
