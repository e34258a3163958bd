package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * Two policies on servers that can fail, and questions to both.
 */
abstract class TwoPolicies {

	static final Duration INTERVAL = Duration.ofSeconds(1);

	static final ResilienceSettings SETTINGS = new ResilienceSettings(Duration.ofSeconds(20), INTERVAL, INTERVAL, 1);

	final ManualClock clock = ManualClock.atMidnight();

	final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 100);

	final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	final SpreadStore remote = new SpreadStore(this.shared);

	final ResilientStore store = new ResilientStore(this.remote, SETTINGS,
			(policy) -> policy.name().equals("rejecting") ? FailureMode.REJECT : FailureMode.LOCAL, this.local::open,
			null, this.clock);

	final PolicyDecider one = open("one", RateLimitAlgorithm.FIXED_WINDOW_COUNTER);

	final PolicyDecider two = open("two", RateLimitAlgorithm.FIXED_WINDOW_COUNTER);

	final WaitingTime time = new WaitingTime(SETTINGS.timeout(), this.clock);

	final RateLimitSession session = new RemoteSession(this.remote, this.clock, this.time);

	PolicyDecider open(String name, RateLimitAlgorithm algorithm) {
		return this.store.open(RateLimitPolicy.of(name, TestPolicies.limit(algorithm, 10, Duration.ofDays(1))));
	}

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
	}

	void breakDown(PolicyDecider states) {
		this.remote.failing.add((states == this.one) ? "one" : "two");
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			states.decide("any", 0);
		}
	}

	List<@Nullable RateLimitDecision> decide(Question... questions) {
		return this.store.session().decide(List.of(questions));
	}

	static Question of(PolicyDecider states, long permits) {
		return new Question(states, "key", permits, false);
	}

	static Given given(PolicyDecider states, long permits, @Nullable RateLimitDecision decision) {
		return new Given(states, "key", permits, Objects.requireNonNull(decision));
	}

	static List<Long> remaining(List<@Nullable RateLimitDecision> decisions) {
		return decisions.stream().filter(Objects::nonNull).map(LimitStatus::remaining).toList();
	}

	static List<Boolean> allowed(List<@Nullable RateLimitDecision> decisions) {
		return decisions.stream().filter(Objects::nonNull).map(LimitStatus::allowed).toList();
	}

	static List<Boolean> fallback(List<@Nullable RateLimitDecision> decisions) {
		return decisions.stream().filter(Objects::nonNull).map(RateLimitDecision::fallback).toList();
	}

}
