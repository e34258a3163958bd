package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What many ask for one key while a server does not answer is decided in few calls, in
 * the order in which it was asked, once, and fails together. The windows are long, so
 * that it does not matter how fast anybody is.
 */
class JoinedCallsTests extends OneServer {

	private static final int CALLERS = 64;

	private static final int ALONE = 4;

	/*
	 * The first of the callers, and the halves of the others. There is one more where a
	 * client has a thread for each call, and the first half is over before those alone.
	 */
	private static final int CALLS = ALONE + 2;

	private static final Duration LONG = Duration.ofDays(20);

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(100, LONG);
	}

	private static TestStore open(ClientKind client, int port) {
		return new TestStore(client.standalone(port), TestStore.PATIENT, FailureMode.LOCAL);
	}

	private static List<CompletableFuture<RateLimitDecision>> ask(TestStore store, PolicyDecider states,
			long... permits) {
		List<CompletableFuture<RateLimitDecision>> answers = new ArrayList<>();
		for (long each : permits) {
			answers.add(store.store()
				.sessions()
				.get()
				.decideAsync(List.of(Question.of(states, "key", each, false)))
				.<RateLimitDecision>thenApply((decisions) -> decisions.get(0))
				.toCompletableFuture());
		}
		return answers;
	}

	private static long[] ones() {
		return IntStream.range(0, CALLERS).mapToLong((number) -> 1).toArray();
	}

	private static List<RateLimitDecision> join(List<CompletableFuture<RateLimitDecision>> answers) {
		return answers.stream().map(CompletableFuture::join).toList();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void threeInstancesAreGivenTogetherExactlyTheLimit(RateLimitPolicy policy) {
		try (TestStore one = open(ClientKind.LETTUCE, redis.port());
				TestStore two = open(ClientKind.JEDIS, redis.port());
				TestStore three = open(ClientKind.LETTUCE, redis.port())) {
			List<TestStore> instances = List.of(one, two, three);
			List<PolicyDecider> states = instances.stream().map((each) -> each.open(policy)).toList();
			states.forEach((each) -> each.decide("other", 1));
			redis.call("SCRIPT", "FLUSH");
			redis.freeze();
			List<CompletableFuture<RateLimitDecision>> answers = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				answers.addAll(ask(instances.get(i), states.get(i), ones()));
			}
			redis.thaw();
			List<RateLimitDecision> decisions = join(answers);
			assertThat(decisions).noneMatch(RateLimitDecision::fallback);
			assertThat(decisions.stream().filter(RateLimitDecision::allowed)).hasSize(100);
			assertThat(List.of(one, three)).allMatch((each) -> each.calls() == 1 + CALLS);
			assertThat(two.calls()).isBetween(1 + CALLS, 2 + CALLS);
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whoComesFirstIsDecidedFirst(RateLimitPolicy policy) {
		long[] permits = new Random(policy.name().hashCode()).longs(CALLERS, 0, 4).toArray();
		try (TestStore store = open(ClientKind.LETTUCE, redis.port());
				LocalRateLimitStore local = new LocalRateLimitStore(ManualClock.atMidnight(), 100)) {
			PolicyDecider states = store.open(policy);
			states.decide("other", 1);
			redis.freeze();
			List<CompletableFuture<RateLimitDecision>> answers = ask(store, states, permits);
			redis.thaw();
			PolicyDecider inTurn = local.open(policy);
			for (int i = 0; i < CALLERS; i++) {
				RateLimitDecision decision = answers.get(i).join();
				RateLimitDecision expected = inTurn.decide("key", permits[i]);
				assertThat(decision.fallback()).isFalse();
				assertThat(decision.allowed()).isEqualTo(expected.allowed());
				assertThat(decision.remaining()).isEqualTo(expected.remaining());
			}
		}
	}

	/*
	 * With a client that has one connection for all of them.
	 */
	@Test
	void aConnectionThatDiesLosesTheCallsUnderWayAndNoOther() {
		try (TestProxy proxy = new TestProxy(redis); TestStore store = open(ClientKind.LETTUCE, proxy.port())) {
			PolicyDecider states = store.open(policies().findFirst().orElseThrow());
			states.decide("other", 1);
			redis.freeze();
			List<CompletableFuture<RateLimitDecision>> answers = ask(store, states, ones());
			proxy.reset();
			TestRedis.await(() -> answers.stream().filter(CompletableFuture::isDone).count() == ALONE);
			redis.thaw();
			List<RateLimitDecision> decisions = join(answers);
			assertThat(decisions.subList(0, ALONE)).allMatch(RateLimitDecision::fallback);
			assertThat(decisions.subList(ALONE, CALLERS)).noneMatch(RateLimitDecision::fallback);
			store.awaitRecovery(states);
			assertThat(states.decide("key", 0).remaining()).isBetween(100L - CALLERS, 100L - CALLERS + ALONE);
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void allThatHaveJoinedACallFailWithIt(ClientKind client) {
		try (TestProxy proxy = new TestProxy(redis); TestStore store = open(client, proxy.port())) {
			PolicyDecider states = store.open(policies().findFirst().orElseThrow());
			states.decide("other", 1);
			redis.freeze();
			List<CompletableFuture<RateLimitDecision>> answers = ask(store, states, ones());
			TestRedis.await(() -> {
				proxy.reset();
				return answers.stream().allMatch(CompletableFuture::isDone);
			});
			redis.thaw();
			assertThat(join(answers)).allMatch(RateLimitDecision::fallback);
			// one more, where the first half is lost before all but one of those sent
			// alone
			assertThat(store.calls()).isBetween(1 + CALLS, 2 + CALLS);
			store.awaitRecovery(states);
			assertThat(states.decide("key", 0).remaining()).isBetween(100L - CALLERS, 100L);
		}
	}

}
