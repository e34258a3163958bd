package io.github.ratelimit.resilience;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.ForeignDecision;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Any store that can fail is wrapped alike: here one that has nothing to do with Redis,
 * and that answers each question by itself.
 */
@ExtendWith(OutputCaptureExtension.class)
class ResilientStoreTests {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final ResilienceSettings SETTINGS = new ResilienceSettings(Duration.ofSeconds(20), INTERVAL,
			INTERVAL, 1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 100);

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private final FailingStore remote = new FailingStore(this.shared);

	private final ResilientStore store = store(FailureMode.LOCAL);

	private final RateLimitStates states = this.store.open(policy("policy"));

	private ResilientStore store(FailureMode mode) {
		return new ResilientStore(this.remote, SETTINGS, (policy) -> mode, this.local::open, null, this.clock);
	}

	private static RateLimitPolicy policy(String name) {
		return RateLimitPolicy.of(name,
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofDays(1)));
	}

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
	}

	private RateLimitDecision decide(long permits) {
		return this.states.decide("key", permits);
	}

	private void breakDown() {
		this.remote.fails = true;
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			decide(0);
		}
		this.remote.calls();
	}

	@Test
	void theStoreDecidesWhileItCan() {
		assertThat(decide(3).fallback()).isFalse();
		assertThat(decide(0).remaining()).isEqualTo(7);
		assertThat(this.remote.calls()).isEqualTo(2);
		assertThat(this.store.name()).isEqualTo("grid");
		assertThat(this.states.fallbacks()).isZero();
	}

	@Test
	void theFallbackGoesOnFromWhatTheStoreLastSaid() {
		decide(3);
		this.remote.fails = true;
		RateLimitDecision decision = decide(5);
		assertThat(decision.fallback()).isTrue();
		assertThat(decision.remaining()).isEqualTo(2);
		assertThat(decide(5).allowed()).isFalse();
		assertThat(this.states.fallbacks()).isEqualTo(2);
	}

	@Test
	void aStoreThatFailsIsLeftAloneButForOneCallInEachInterval(CapturedOutput output) {
		breakDown();
		for (int i = 0; i < 3; i++) {
			assertThat(decide(0).fallback()).isTrue();
			assertThat(this.remote.calls()).isZero();
			this.clock.advance(INTERVAL);
			decide(0);
			decide(0);
			assertThat(this.remote.calls()).isOne();
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).isEqualTo("the cable is cut");
		assertThat(this.store.availability().outages()).isOne();
		assertThat(output)
			.containsOnlyOnce("The grid at grid:7000 cannot decide since 2026-03-05T00:00:00Z (the cable is cut)")
			.doesNotContain("Redis");
	}

	@Test
	void aStoreThatIsBackDecidesAgain(CapturedOutput output) {
		breakDown();
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
		assertThat(decide(1).fallback()).isFalse();
		assertThat(decide(1).fallback()).isFalse();
		assertThat(this.store.availability().isAvailable()).isTrue();
		assertThat(this.store.availability().failure()).isNull();
		assertThat(output).containsOnlyOnce("The grid at grid:7000 answers again after 1 s; 4 decisions were made");
	}

	@Test
	void rejectionsAreRemembered() {
		decide(10);
		this.remote.calls();
		for (int i = 0; i < 1000; i++) {
			assertThat(decide(1).allowed()).isFalse();
			assertThat(decide(0).remaining()).isZero();
		}
		assertThat(this.remote.calls()).isOne();
		this.clock.advance(INTERVAL);
		assertThat(decide(1).allowed()).isFalse();
		assertThat(this.remote.calls()).isOne();
	}

	@Test
	void rejectionsOfAnyImplementationAreRemembered() {
		this.remote.view = ForeignDecision::of;
		decide(10);
		decide(1);
		this.remote.calls();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(decide(1).retryAfter()).isEqualTo(Duration.ofDays(1).minusMillis(1));
		assertThat(decide(0).allowed()).isTrue();
		assertThat(this.remote.calls()).isZero();
	}

	@Test
	void aCheckFindsAnOutageAndItsEndWithoutAnyRequest() {
		this.store.availability().check();
		assertThat(this.store.availability().isAvailable()).isTrue();
		this.remote.fails = true;
		this.store.availability().check();
		assertThat(this.remote.calls()).isOne();
		this.clock.advance(INTERVAL);
		this.store.availability().check();
		assertThat(this.remote.calls()).isEqualTo(Breaker.FAILURES + 1);
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).isEqualTo("the cable is cut");
		this.remote.fails = false;
		this.clock.advance(INTERVAL);
		this.store.availability().check();
		assertThat(this.store.availability().isAvailable()).isTrue();
		assertThat(this.store.availability().outages()).isOne();
	}

	@Test
	void eachFailureModeDecidesAsItSays() {
		RateLimitStates allowing = store(FailureMode.ALLOW).open(policy("allowing"));
		RateLimitStates rejecting = store(FailureMode.REJECT).open(policy("rejecting"));
		this.remote.fails = true;
		assertThat(allowing.decide("key", 1000).allowed()).isTrue();
		assertThat(rejecting.decide("key", 1).allowed()).isFalse();
		assertThat(rejecting.decide("key", 1).retryAfter()).isEqualTo(INTERVAL);
	}

	@Test
	void aResetThatFailsNamesTheStore() {
		this.remote.fails = true;
		assertThatIllegalStateException().isThrownBy(() -> this.states.reset("key"))
			.withMessage("The key was not reset, because The grid cannot be asked: the cable is cut");
	}

	@Test
	void severalPoliciesAreTakenFromTogetherOrNotAtAll() {
		RateLimitStates other = this.store.open(policy("other"));
		RateLimitSession session = this.store.sessions().get();
		List<Question> both = List.of(new Question(this.states, "key", 4, false), new Question(other, "key", 8, false));
		List<RateLimitDecision> given = session.decide(both);
		assertThat(given).extracting(RateLimitDecision::remaining).containsExactly(6L, 2L);
		assertThat(session.decide(both).get(1).allowed()).isFalse();
		assertThat(decide(0).remaining()).isEqualTo(6);
		session.giveBack(
				List.of(new Given(this.states, "key", 4, given.get(0)), new Given(other, "key", 8, given.get(1))));
		assertThat(decide(0).remaining()).isEqualTo(10);
		assertThat(other.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void severalPoliciesFallBackTogether() {
		RateLimitStates other = this.store.open(policy("other"));
		List<Question> both = List.of(new Question(this.states, "key", 4, false), new Question(other, "key", 8, false));
		this.remote.fails = true;
		List<RateLimitDecision> given = this.store.sessions().get().decide(both);
		assertThat(given).allMatch((decision) -> decision.fallback() && decision.allowed());
		assertThat(this.store.sessions().get().decide(both))
			.anyMatch((decision) -> decision != null && !decision.allowed());
		assertThat(decide(0).remaining()).isEqualTo(6);
	}

}
