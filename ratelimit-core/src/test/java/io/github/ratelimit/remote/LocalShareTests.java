package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What outages let through at most, whichever of several instances cannot reach the
 * store, and when. A store in this process stands in for one over a network.
 */
class LocalShareTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 1000);

	private final List<LocalRateLimitStore> locals = new ArrayList<>();

	@AfterEach
	void close() {
		this.shared.close();
		this.locals.forEach(LocalRateLimitStore::close);
	}

	private List<Instance> start(int running, int instances, RateLimitPolicy policy) {
		PolicyDecider opened = this.shared.open(policy);
		RateLimitStore shared = mock();
		given(shared.open(policy)).willReturn(opened);
		List<Instance> started = new ArrayList<>();
		for (int i = 0; i < running; i++) {
			LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 1000);
			this.locals.add(local);
			started.add(new Instance(new FakeRemoteStore(shared, false), local, instances, policy, this.clock));
		}
		return started;
	}

	private static List<RateLimitPolicy> policies() {
		return TestPolicies.of(10, HOUR).toList();
	}

	private static long taken(PolicyDecider states, int requests) {
		long taken = 0;
		for (int i = 0; i < requests; i++) {
			taken += states.decide("key", 1).allowed() ? 1 : 0;
		}
		return taken;
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whoWasRejectedStaysRejected(RateLimitPolicy policy) {
		List<Instance> instances = start(3, 1, policy);
		instances.forEach((each) -> taken(each, 11));
		instances.forEach((each) -> each.cutOff(true));
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(instances).allSatisfy((each) -> assertThat(taken(each, 20)).isZero());
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatWasLeftIsLeft(RateLimitPolicy policy) {
		Instance instance = start(1, 1, policy).get(0);
		taken(instance, 7);
		instance.cutOff(true);
		assertThat(instance.decide("key", 0).remaining()).isEqualTo(3);
		assertThat(taken(instance, 20)).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEAKY_BUCKET")
	void whoFindsNothingLeftOfTheShareWaitsForIt(RateLimitAlgorithm algorithm) {
		RateLimitPolicy policy = RateLimitPolicy.builder("policy")
			.limit(RateLimit.of(algorithm, 10, Duration.ofMinutes(30)))
			.maxWait(HOUR)
			.build();
		Instance instance = start(1, 5, policy).get(0);
		instance.cutOff(true);
		for (int i = 0; i < 2; i++) {
			assertThat(instance.decide("key", 1).delayNanos()).isZero();
		}
		RateLimitDecision waiting = instance.decide("key", 1);
		assertThat(waiting.allowed()).isTrue();
		assertThat(waiting.delay()).isBetween(Duration.ofMinutes(15), Duration.ofMinutes(31));
	}

	@Test
	void whatWasLeftOfEachLimitIsLeft() {
		RateLimitPolicy policy = RateLimitPolicy.of("policy",
				RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1)),
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 100, Duration.ofDays(1)));
		Instance instance = start(1, 1, policy).get(0);
		for (int i = 0; i < 9; i++) {
			assertThat(taken(instance, 10)).isEqualTo(10);
			this.clock.advance(Duration.ofSeconds(1));
		}
		instance.decide("key", 0);
		instance.cutOff(true);
		assertThat(instance.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(10L, 10L);
		for (int i = 0; i < 5; i++) {
			assertThat(taken(instance, 20)).isEqualTo((i == 0) ? 10 : 0);
			this.clock.advance(Duration.ofSeconds(1));
		}
	}

	@Test
	void eachInstanceHasItsShareOfWhatWasLeft() {
		List<Instance> instances = start(4, 4, policies().get(0));
		instances.get(0).decide("key", 1);
		instances.forEach((each) -> each.decide("key", 0));
		instances.forEach((each) -> each.cutOff(true));
		assertThat(instances).allSatisfy((each) -> assertThat(taken(each, 20)).isEqualTo(2));
	}

	@Test
	void whatWasKnownIsForgottenWithTheWindow() {
		RateLimitPolicy policy = RateLimitPolicy.of("policy",
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, HOUR));
		Instance instance = start(1, 1, policy).get(0);
		taken(instance, 10);
		this.clock.advance(HOUR);
		instance.cutOff(true);
		assertThat(taken(instance, 20)).isEqualTo(10);
	}

	@Test
	void aKeyThatIsResetBeginsAnew() {
		Instance instance = start(1, 1, policies().get(0)).get(0);
		taken(instance, 11);
		instance.reset("key");
		instance.cutOff(true);
		assertThat(taken(instance, 20)).isEqualTo(10);
	}

	@Test
	void whatIsMoreThanTheShareMayTryAgainWhenRedisMayBeBack() {
		Instance instance = start(1, 5, policies().get(0)).get(0);
		instance.cutOff(true);
		assertThat(instance.decide("key", 3).retryAfter()).isEqualTo(Instance.INTERVAL);
		assertThat(instance.decide("key", 11).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void manyWhoAreTheFirstToAskTogetherHaveWhatWasLeft(RateLimitPolicy policy) {
		Instance instance = start(1, 1, policy).get(0);
		taken(instance, 7);
		instance.cutOff(true);
		List<Long> given = Threads.run(8, (number) -> taken(instance, 5));
		assertThat(given.stream().mapToLong(Long::longValue).sum()).isLessThanOrEqualTo(3);
	}

	/*
	 * The formula of the documentation: limit + running instances * share, at most.
	 */
	@ParameterizedTest
	@EnumSource
	void inOneMomentOutagesLetThroughAtMostAShareForEachInstance(RateLimitAlgorithm algorithm) {
		RandomCases.check(200, (random) -> {
			RateLimit limit = RandomLimits.exact(random, algorithm, 1, 61);
			int running = 1 + random.nextInt(5);
			int shared = 1 + random.nextInt(5);
			List<Instance> instances = start(running, shared, RateLimitPolicy.of("policy", limit));
			RateLimitDecision last = instances.get(0).decide("key", 0);
			long given = 0;
			for (int i = 0; i < 200; i++) {
				Instance instance = instances.get(random.nextInt(running));
				instance.cutOff(random.nextBoolean());
				long permits = RandomLimits.permits(random, last, limit.capacity());
				last = instance.decide("key", permits);
				given += last.allowed() ? permits : 0;
			}
			assertThat(given).isLessThanOrEqualTo(limit.capacity() + running * share(limit.capacity(), shared));
		});
	}

	@Test
	void inEveryWindowOutagesLetThroughAtMostAShareForEachInstance() {
		RandomCases.check(100, (random) -> {
			int running = 1 + random.nextInt(4);
			int shared = 1 + random.nextInt(4);
			long limit = 1 + random.nextInt(20);
			List<Instance> instances = start(running, shared,
					RateLimitPolicy.of("policy", RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, limit, HOUR)));
			List<Long> given = new ArrayList<>();
			for (int i = 0; i < 300; i++) {
				this.clock.advanceNanos(pause(random));
				Instance instance = instances.get(random.nextInt(running));
				if (random.nextInt(10) == 0) {
					instance.cutOff(!instance.way.fails);
				}
				if (instance.decide("key", 1).allowed()) {
					given.add(this.clock.nanos());
				}
				long end = this.clock.nanos() - HOUR.toNanos();
				assertThat(given.stream().filter((moment) -> moment > end).count())
					.isLessThanOrEqualTo(limit + running * share(limit, shared));
			}
		});
	}

	private static long pause(Random random) {
		return random.nextBoolean() ? 0 : RandomLimits.upTo(random, HOUR.toNanos() / 4);
	}

	private static long share(long permits, int instances) {
		return Math.max(1, permits / instances);
	}

	/**
	 * One instance of an application, which may be cut off from the store.
	 */
	private static final class Instance extends ForwardingDecider {

		private static final Duration INTERVAL = Duration.ofSeconds(1);

		private final FakeRemoteStore way;

		Instance(FakeRemoteStore way, LocalRateLimitStore local, int instances, RateLimitPolicy policy,
				ManualClock clock) {
			super(new ResilientStore(way, new ResilienceSettings(Duration.ofSeconds(20), INTERVAL, INTERVAL, instances),
					(each) -> FailureMode.LOCAL, local::open, local.memories(), clock)
				.open(policy));
			this.way = way;
		}

		void cutOff(boolean fails) {
			this.way.fails = fails;
		}

	}

}
