package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import io.github.ratelimit.test.model.ReferenceModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The algorithms decide as the models do, in both resolutions.
 */
class AlgorithmModelTests {

	private static final int CASES = 500;

	private static final int STEPS = 20;

	@ParameterizedTest
	@EnumSource
	void decisionsAreTheModels(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			Tick resolution = Tick.values()[random.nextInt(2)];
			long tick = resolution.nanosPerTick();
			RateLimit limit = RandomLimits.exact(random, algorithm, tick, resolution.bits());
			long now = 1_772_668_800_000_000_000L / tick + RandomLimits.upTo(random, limit.window().toNanos() / tick);
			OneKey key = new OneKey(limit, resolution, now);
			ReferenceModel model = new ReferenceModel(RateLimitPolicy.of("model", limit), tick);
			RateLimitDecision last = key.look(now);
			for (int i = 0; i < STEPS; i++) {
				long permits = RandomLimits.permits(random, last, limit.capacity());
				last = key.decide(now, permits);
				assertThat(Decisions.describe(last)).as("%d permits of %s, %s", permits, limit, resolution)
					.isEqualTo(model.decide(now, permits));
				now += RandomLimits.pause(random, last, limit) / tick;
			}
		});
	}

	@Test
	void settlementsAreTheModels() {
		RandomCases.check(2 * CASES, (random) -> {
			Tick resolution = Tick.values()[random.nextInt(2)];
			long tick = resolution.nanosPerTick();
			RateLimitPolicy policy = RandomLimits.chargedPolicy(random, tick, resolution.bits());
			long now = 1_772_668_800_000_000_000L / tick
					+ RandomLimits.upTo(random, policy.limits().get(0).window().toNanos() / tick);
			KeyState key = new KeyState(Algorithm.of(policy, resolution), now);
			ReferenceModel model = new ReferenceModel(policy, tick);
			RateLimitDecision last = key.decide(now, 0);
			for (int i = 0; i < STEPS; i++) {
				RateLimit limit = policy.limits().get(random.nextInt(policy.limits().size()));
				long permits = RandomLimits.permits(random, last, policy.capacity());
				last = key.decide(now, permits);
				assertThat(Decisions.describe(last)).as("%d permits of %s, %s", permits, policy, resolution)
					.isEqualTo(model.decide(now, permits));
				now += RandomLimits.pause(random, last, limit) / tick;
				if (last.allowed() && permits > 0) {
					long used = RandomLimits.upTo(random, 3 * limit.capacity());
					key.settle(now, permits, used, last);
					model.settleLast(now, used);
					last = key.decide(now, 0);
					assertThat(Decisions.describe(last)).as("%d used of %d, %s, %s", used, permits, policy, resolution)
						.isEqualTo(model.decide(now, 0));
					now += RandomLimits.pause(random, last, limit) / tick;
				}
			}
		});
	}

	@Test
	void aStateThatIsWrittenDownAndReadGoesOnAsItWas() {
		RandomCases.check(CASES, (random) -> {
			RateLimitPolicy policy = RandomLimits.chargedPolicy(random, 1, Tick.NANOSECOND.bits());
			Algorithm algorithm = Algorithm.of(policy, Tick.NANOSECOND);
			long now = 1_772_668_800_000_000_000L;
			KeyState kept = new KeyState(algorithm, now);
			KeyState read = new KeyState(algorithm, now);
			RateLimitDecision last = kept.decide(now, 0);
			for (int i = 0; i < STEPS; i++) {
				long permits = RandomLimits.permits(random, last, policy.capacity());
				long[] written = read.words();
				read = new KeyState(algorithm, written);
				last = kept.decide(now, permits);
				assertThat(Decisions.describe(read.decide(now, permits))).as("%d permits of %s", permits, policy)
					.isEqualTo(Decisions.describe(last));
				assertThat(read.words()).isEqualTo(kept.words());
				now += RandomLimits.pause(random, last, policy.limits().get(0));
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void aStateOfFewerWordsThanItHasIsRefused(RateLimitAlgorithm algorithm) {
		Algorithm of = Algorithm.of(RateLimitPolicy.of("model", RateLimit.of(algorithm, 5, Duration.ofMinutes(1))),
				Tick.NANOSECOND);
		assertThatIllegalArgumentException().isThrownBy(() -> new KeyState(of, new long[1]))
			.withMessageContaining("use those of the same policy");
	}

	@ParameterizedTest
	@EnumSource(names = { "TOKEN_BUCKET", "LEAKY_BUCKET" })
	void whereTheRateIsNotExactNothingPassesThatTheModelRejects(RateLimitAlgorithm algorithm) {
		RandomCases.check(20 * CASES, (random) -> {
			Tick resolution = Tick.values()[random.nextInt(2)];
			long tick = resolution.nanosPerTick();
			RateLimit limit = RandomLimits.any(random, algorithm);
			if (RandomLimits.isExact(limit, tick, resolution.bits())) {
				return;
			}
			long now = 1_772_668_800_000_000_000L / tick;
			OneKey key = new OneKey(limit, resolution, now);
			ReferenceModel model = new ReferenceModel(RateLimitPolicy.of("model", limit), tick);
			RateLimitDecision last = key.look(now);
			for (int i = 0; i < STEPS; i++) {
				now += RandomLimits.pause(random, last, limit) / tick;
				long permits = RandomLimits.permits(random, last, limit.capacity());
				last = key.decide(now, permits);
				if (last.allowed()) {
					assertThat(model.decide(now, permits)).as("%d permits of %s, %s", permits, limit, resolution)
						.startsWith("allowed");
				}
			}
		});
	}

}
