package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.store.PolicyDecider;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One instance of an application in real time, and the questions that are put to it.
 */
final class FaultStore implements AutoCloseable {

	private static final Duration LONG = Duration.ofDays(20);

	/*
	 * What is soon used up, what may be used up at any moment of a test, and what always
	 * has permits, so that who decides can be seen.
	 */
	private static final List<RateLimitPolicy> POLICIES = List.of(policy("narrow", 20, LONG),
			policy("ample", 200, LONG), policy("wide", 100_000, Duration.ofHours(1)));

	private static final int KEYS = 10;

	/* More than it takes not to be asked any more. */
	private static final int FAILURES = 5;

	private final RedisConnectionFactory factory;

	private final LocalRateLimitStore local;

	private final RedisRateLimitStore store;

	/**
	 * Creates a store with the settings that an application has by itself, but for the
	 * time-out.
	 */
	FaultStore(RedisConnectionFactory factory, Duration timeout) {
		RateLimitClock clock = RateLimitClock.system();
		ResilienceSettings settings = new ResilienceSettings(timeout, Duration.ofSeconds(1), Duration.ofSeconds(1), 1);
		this.factory = factory;
		this.local = new LocalRateLimitStore(clock, 1000);
		this.store = new RedisRateLimitStore(factory, "test", settings, (policy) -> FailureMode.LOCAL, this.local::open,
				null, clock);
	}

	/**
	 * Lets a server hang for one caller, so that no caller that is timed later is the
	 * first in this process to see such a thing.
	 */
	static void rehearse(ClientKind client) {
		try (TestRedis redis = TestRedis.start();
				FaultStore store = new FaultStore(client.standalone(redis.port()), Duration.ofMillis(50))) {
			FaultQuestion question = store.questions().get(0);
			TestRedis.await(() -> !question.decider().decide(question.key(), 1).fallback());
			redis.freeze();
			for (int i = 0; i < FAILURES; i++) {
				question.decider().decide(question.key(), 1);
			}
			redis.kill();
			redis.startAgain();
			TestRedis.await(() -> !question.decider().decide(question.key(), 1).fallback());
		}
	}

	private static RateLimitPolicy policy(String name, long limit, Duration window) {
		return RateLimitPolicy.of(name, TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, limit, window));
	}

	List<FaultQuestion> questions() {
		return questions(1, (key) -> 0);
	}

	/**
	 * Makes questions about keys of every group in turn.
	 * @param groups how many groups there are
	 * @param group the group of the key of that name in the store
	 */
	List<FaultQuestion> questions(int groups, ToIntFunction<byte[]> group) {
		List<PolicyDecider> states = POLICIES.stream().map(this.store::open).toList();
		List<FaultQuestion> questions = new ArrayList<>();
		int number = 0;
		while (questions.size() < KEYS * groups * POLICIES.size()) {
			int policy = questions.size() / groups % POLICIES.size();
			String key = "key" + number++;
			int of = group.applyAsInt(new RedisKeys("test", POLICIES.get(policy).name()).of(key)[0]);
			if (of == questions.size() % groups) {
				questions.add(new FaultQuestion(states.get(policy), key,
						POLICIES.get(policy).limits().get(0).capacity(), of));
			}
		}
		return withHotKeys(questions, groups);
	}

	/*
	 * Half of what is asked is about one key of each policy and group, so that calls for
	 * it are joined. Whichever follow one another are of all groups in turn.
	 */
	private static List<FaultQuestion> withHotKeys(List<FaultQuestion> questions, int groups) {
		List<FaultQuestion> all = new ArrayList<>();
		for (int i = 0; i < questions.size(); i += groups) {
			int hot = i % (groups * POLICIES.size());
			all.addAll(questions.subList(i, i + groups));
			all.addAll(questions.subList(hot, hot + groups));
		}
		return all;
	}

	@Override
	public void close() {
		this.store.close();
		this.local.close();
		ClientKind.stop(this.factory);
	}

}
