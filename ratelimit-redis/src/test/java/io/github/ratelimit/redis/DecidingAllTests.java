package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore.Call;
import io.github.ratelimit.remote.RemoteDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One call that decides on several requests says of each what it would have been told
 * alone at that moment, in its position, and leaves the state that they would have left.
 */
class DecidingAllTests extends OneVirtualServer {

	private static final String SAME = "return redis.call('GET', KEYS[1]) == redis.call('GET', KEYS[2]) and 1 or 0";

	private static <T> T answer(Call<T> call) {
		return call.start(Deadline.after(Duration.ofSeconds(20))).await();
	}

	private static RemoteDecider open(String prefix, RateLimitPolicy policy) {
		return new RedisRemoteStore(server.time(), prefix, TestStore.PATIENT.timeout()).open(policy);
	}

	@Test
	void randomTracesAreDecidedAsIfEachRequestWereAlone() {
		RandomCases.check(120, (random) -> {
			server.redis().call("FLUSHALL");
			List<RateLimitPolicy> versions = IntStream.rangeClosed(0, random.nextInt(3))
				.mapToObj((number) -> policy(random))
				.toList();
			Trace trace = new Trace(versions.stream().map((each) -> open("alone", each)).toList(),
					versions.stream().map((each) -> open("all", each)).toList());
			for (int step = 0; step < 12; step++) {
				int version = random.nextInt(versions.size());
				trace.decide(version, versions.get(version), random.nextInt(3) == 0,
						trace.permits(random, versions.get(version)));
				trace.settle(random, version);
				trace.checkStates(versions);
				trace.pause(random, versions.get(version));
			}
		});
	}

	private static RateLimitPolicy policy(Random random) {
		if (random.nextInt(5) == 0) {
			return waiting(random);
		}
		RateLimitPolicy drawn = RandomLimits.banningPolicy(random, 1000, 51);
		List<RateLimit> limits = new ArrayList<>(drawn.limits());
		if (random.nextInt(5) == 0) {
			String period = List.of("P1D", "P1W", "P1M").get(random.nextInt(3));
			limits.set(0, CalendarModel.limit(1 + random.nextInt(20), period, "Europe/Berlin", null));
		}
		boolean charged = limits.stream().noneMatch(RateLimit::delays) && random.nextBoolean();
		return RateLimitPolicy.builder("policy")
			.limits(limits)
			.charge(charged ? "status >= 400" : null)
			.ban((random.nextInt(4) > 0) ? drawn.ban() : null)
			.build();
	}

	/* Requests that may wait for a later window are decided one by one. */
	private static RateLimitPolicy waiting(Random random) {
		while (true) {
			RateLimitPolicy drawn = RandomLimits.waitingPolicy(random, 1000, 51);
			if (drawn.limits().get(0).algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) {
				return RateLimitPolicy.builder("policy").limits(drawn.limits()).maxWait(drawn.maxWait()).build();
			}
		}
	}

	/**
	 * What is asked of two keys, of one of which in calls for several requests.
	 */
	private static final class Trace {

		private final List<RemoteDecider> alone;

		private final List<RemoteDecider> all;

		private final StringBuilder text = new StringBuilder();

		private RateLimitDecision last;

		private RateLimitDecision given;

		Trace(List<RemoteDecider> alone, List<RemoteDecider> all) {
			this.alone = alone;
			this.all = all;
			this.last = answer(alone.get(0).decide("key", 0, false));
			this.given = this.last;
		}

		void decide(int version, RateLimitPolicy policy, boolean withoutDelay, long... permits) {
			this.text.append(policy).append(withoutDelay ? " without delay" : "").append(Arrays.toString(permits));
			List<RateLimitDecision> expected = LongStream.of(permits)
				.mapToObj((each) -> answer(this.alone.get(version).decide("key", each, withoutDelay)))
				.toList();
			List<RateLimitDecision> decisions = answer(this.all.get(version).decideAll("key", permits, withoutDelay));
			assertThat(decisions).as("%s", this.text)
				.extracting(DecidingAllTests::describe)
				.containsExactlyElementsOf(expected.stream().map(DecidingAllTests::describe).toList());
			this.last = expected.get(permits.length - 1);
			expected.stream().filter(RateLimitDecision::allowed).findAny().ifPresent((each) -> this.given = each);
		}

		long[] permits(Random random, RateLimitPolicy policy) {
			LongStream.Builder permits = LongStream.builder();
			for (int i = random.nextInt(4); i >= 0; i--) {
				long each = random.nextBoolean() ? RandomLimits.permits(random, this.last, policy.capacity())
						: 1 + this.last.remaining() / (1 + random.nextInt(5));
				for (int j = random.nextInt(5); j >= 0; j--) {
					permits.add(each);
				}
			}
			return permits.build().toArray();
		}

		void charge(int version, long permits) {
			answer(this.alone.get(version).charge("key", permits));
			answer(this.all.get(version).charge("key", permits));
		}

		void settle(Random random, int version) {
			int what = random.nextInt(4);
			long permits = 1 + random.nextInt(5) + ((what == 1) ? this.last.remaining() : 0);
			if (what == 0) {
				answer(this.alone.get(version).refund("key", permits, this.given));
				answer(this.all.get(version).refund("key", permits, this.given));
			}
			else if (what == 1) {
				charge(version, permits);
			}
		}

		/*
		 * Which stamps of a log are where, and how many fit its ring, may differ.
		 */
		void checkStates(List<RateLimitPolicy> versions) {
			assertThat(isSame(":ban")).as("ban of\n%s", this.text).isTrue();
			if (versions.stream()
				.flatMap((each) -> each.limits().stream())
				.noneMatch((each) -> each.algorithm() == RateLimitAlgorithm.SLIDING_WINDOW_LOG)) {
				assertThat(isSame("")).as("state of\n%s", this.text).isTrue();
			}
		}

		private static boolean isSame(String suffix) {
			return server.redis()
				.number("EVAL", SAME, "2", "alone:{policy:key}" + suffix, "all:{policy:key}" + suffix) == 1;
		}

		void pause(Random random, RateLimitPolicy policy) {
			RateLimit limit = policy.limits().get(0);
			long nanos = (policy.ban() != null) ? RandomLimits.banPause(random, this.last, policy, limit)
					: RandomLimits.pause(random, this.last, limit);
			if (random.nextInt(20) == 0) {
				nanos = -1000 * RandomLimits.upTo(random, 100_000_000_000L);
			}
			server.clock().advanceNanos(nanos / 1000 * 1000);
			this.text.append(", ").append(nanos).append(" ns later\n");
		}

	}

	private static String describe(RateLimitDecision decision) {
		return Decisions.describe(decision) + (decision.queueFull() ? ", queue full" : "");
	}

	@Test
	void whatExplainsOneAnswerIsNotSaved() {
		RateLimitPolicy policy = RateLimitPolicy.builder("policy")
			.limit(TestPolicies.countingRejected(4, Duration.ofMinutes(1)))
			.charge("status >= 400")
			.build();
		Trace trace = new Trace(List.of(open("alone", policy)), List.of(open("all", policy)));
		for (int second = 0; second < 5; second++) {
			server.at(second);
			trace.charge(0, 1);
		}
		trace.decide(0, policy, false, 0, 1, 0);
		for (int second = 60; second < 70; second++) {
			server.at(second);
			trace.charge(0, (second == 60) ? 4 : 0);
			trace.decide(0, policy, false, 0);
		}
	}

	@Test
	void theFirstRejectionBeginsABanOfFewerThanThereHaveBeen() {
		RateLimitPolicy[] versions = new RateLimitPolicy[2];
		for (int i = 0; i < 2; i++) {
			versions[i] = RateLimitPolicy.builder("policy")
				.limit(TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1)))
				.ban(new RateLimitBan(9 - 7 * i))
				.build();
		}
		Trace trace = new Trace(Stream.of(versions).map((each) -> open("alone", each)).toList(),
				Stream.of(versions).map((each) -> open("all", each)).toList());
		trace.decide(0, versions[0], false, 1, 1, 1, 1, 1);
		trace.decide(1, versions[1], false, 1, 1, 1);
	}

	@Test
	void asManyLimitsAsOnePolicyMayHaveFitOneScript() {
		RateLimitPolicy policy = RateLimitPolicy.builder("policy")
			.limits(Collections.nCopies(16, TestPolicies.countingRejected(2, Duration.ofMinutes(1))))
			.ban(new RateLimitBan(2))
			.charge("status >= 400")
			.build();
		List<RateLimitDecision> decisions = answer(
				open("all", policy).decideAll("key", new long[] { 1, 1, 1, 0, 2, 1, 1 }, false));
		assertThat(decisions).extracting(RateLimitDecision::allowed)
			.containsExactly(true, true, false, true, false, false, false);
		assertThat(decisions).extracting(RateLimitDecision::newBan).containsExactly(0, 0, 0, 0, 1, 0, 0);
	}

}
