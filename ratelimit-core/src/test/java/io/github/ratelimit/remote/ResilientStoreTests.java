package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.InterruptedClock;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.ForeignDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.SharedOverrides;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Any store that can fail is wrapped alike: here one that has nothing to do with Redis,
 * and that answers each question by itself.
 */
@ExtendWith(OutputCaptureExtension.class)
class ResilientStoreTests extends RemoteStoreTest {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy", TEN);

	private static final RateLimitPolicy SHADOW = POLICY.withMode(RateLimitMode.SHADOW);

	private final ResilientStore store = store(FailureMode.LOCAL);

	private final PolicyDecider states = this.store.open(POLICY);

	private RateLimitDecision decide(long permits) {
		return this.states.decide("key", permits);
	}

	private boolean isAvailable() {
		return this.store.availability().isAvailable();
	}

	/*
	 * Who waits for the answer gets it from the failure mode, and in shadow, where no
	 * caller waits, nothing decides in the store's place.
	 */
	@ParameterizedTest
	@EnumSource
	void whatDecidesInPlaceOfAStoreThatFails(FailureMode mode) {
		ResilientStore store = store(mode);
		PolicyDecider enforced = store.open(POLICY);
		PolicyDecider shadow = store.open(SHADOW);
		assertThat(enforced.decide("key", 3).remaining()).isEqualTo(7);
		assertThat(shadow.decideAsync("key", 3)).isCompletedWithValueMatching((look) -> look.remaining() == 4);
		assertThat(this.remote.calls()).isEqualTo(2);
		assertThat(enforced.fallbacks()).isZero();
		this.remote.fails = true;
		for (int i = 0; i < 10; i++) {
			RateLimitDecision decision = enforced.decide("key", 5);
			assertThat(decision.fallback()).isTrue();
			assertThat(decision.unavailable()).isEqualTo(mode == FailureMode.REJECT);
			assertThat(decision.allowed()).isEqualTo(mode == FailureMode.ALLOW || mode == FailureMode.LOCAL && i == 0);
			assertThat(shadow.decide("key", 5)).returns(true, RateLimitDecision::fallback)
				.returns(true, RateLimitDecision::allowed);
			assertThat(shadow.decideAsync("key", 1)).isCompletedExceptionally();
			shadow.refund("key", 1, shadow.decide("key", 0));
		}
		assertThat(enforced.fallbacks()).isEqualTo(10);
		assertThat(this.remote.calls()).isEqualTo(Breaker.FAILURES + 1);
		mend();
		assertThat(shadow.decideAsync("key", 1)).isCompletedWithValueMatching((look) -> look.remaining() == 3);
		assertThat(store.availability().isAvailable()).isTrue();
	}

	@Test
	void whatInstancesShareAndItsEndAreTheRemoteStores() {
		assertThat(this.store.sharedOverrides()).isNull();
		SharedOverrides shared = mock();
		this.remote.overrides = shared;
		assertThat(this.store.sharedOverrides()).isSameAs(shared);
		this.store.close();
		assertThat(this.remote.closed).isTrue();
	}

	@Test
	void aRequestThatAnotherOvertakesTakesPermitsOfItsOwn() {
		InterruptedClock overtaken = new InterruptedClock(this.clock);
		PolicyDecider states = new ResilientStore(this.remote, SETTINGS, (policy) -> FailureMode.LOCAL,
				this.local::open, null, overtaken)
			.open(POLICY);
		assertThat(states.decide("key", 1).remaining()).isEqualTo(9);
		overtaken.interruptOnce(() -> {
			this.clock.advanceNanos(1);
			assertThat(states.decide("key", 3).remaining()).isEqualTo(6);
		});
		assertThat(states.decide("key", 3).remaining()).isEqualTo(3);
		assertThat(this.remote.calls()).isEqualTo(3);
	}

	@Test
	void theFallbackBeginsAnewOnceTheLimitHasAllPermitsAgain() {
		long reset = decide(3).resetAfterNanos();
		this.remote.fails = true;
		assertThat(decide(0).remaining()).isEqualTo(7);
		this.clock.advanceNanos(reset);
		assertThat(decide(0)).returns(true, RateLimitDecision::fallback).returns(10L, RateLimitDecision::remaining);
	}

	@Test
	void aStoreThatFailsIsLeftAloneButForOneCallInEachInterval(CapturedOutput output) {
		breakDown(this.states);
		for (int i = 0; i < 3; i++) {
			assertThat(decide(0).fallback()).isTrue();
			assertThat(this.remote.calls()).isZero();
			this.clock.advance(INTERVAL);
			decide(0);
			decide(0);
			assertThat(this.remote.calls()).isOne();
		}
		assertThat(isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).isEqualTo("the cable is cut");
		assertThat(this.store.availability().outages()).isOne();
		mend();
		assertThat(decide(1).fallback()).isFalse();
		assertThat(decide(1).fallback()).isFalse();
		assertThat(isAvailable()).isTrue();
		assertThat(this.store.availability().failure()).isNull();
		assertThat(output)
			.containsOnlyOnce("The grid at grid:7000 cannot decide since 2026-03-05T00:00:00Z (the cable is cut)")
			.containsOnlyOnce("The grid at grid:7000 answers again after 4 s; 13 decisions were made")
			.doesNotContain("Redis");
	}

	/*
	 * A server that took no writes is back when one of its answers has written.
	 */
	@ParameterizedTest
	@CsvSource({ "enforce, 0, false", "enforce, 7, false", "enforce, 6, true", "shadow, 0, false", "shadow, 7, false",
			"shadow, 6, true" })
	void onlyAnAnswerThatHasWrittenEndsAnOutageOfWrites(String mode, long permits, boolean ends) {
		decide(4);
		this.remote.blame = Blame.WRITES;
		breakDown(this.states);
		mend();
		if (mode.equals("shadow")) {
			assertThat(Objects.requireNonNull(this.states.under(SHADOW)).decideAsync("key", permits)).isCompleted();
		}
		else {
			assertThat(decide(permits).fallback()).isFalse();
		}
		assertThat(isAvailable()).isEqualTo(ends);
	}

	@ParameterizedTest
	@CsvSource({ "3, false", "5, true" })
	void onlyASettlementThatTakesMoreEndsAnOutageOfWrites(long used, boolean ends) {
		RateLimitDecision given = decide(4);
		this.remote.blame = Blame.WRITES;
		breakDown(this.states);
		mend();
		assertThat(this.states.settleAsync("key", 4, used, given)).isCompleted();
		assertThat(isAvailable()).isEqualTo(ends);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void rejectionsOfAnyImplementationAreRemembered(boolean shadow) {
		this.remote.view = ForeignDecision::of;
		PolicyDecider states = shadow ? this.store.open(SHADOW) : this.states;
		states.decide("key", 10);
		states.decide("key", 1);
		this.remote.calls();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(states.decide("key", 1).retryAfter()).isEqualTo(Duration.ofDays(1).minusMillis(1));
		assertThat(states.decideAsync("key", 1)).isCompletedWithValueMatching((known) -> !known.allowed());
		assertThat(states.decide("key", 0).allowed()).isTrue();
		assertThat(this.remote.calls()).isZero();
	}

	/*
	 * A request that crosses a reset or a refund on its way does not keep a rejection
	 * alive.
	 */
	@Test
	void aRejectionThatIsAskedBeforeAChangeOrArrivesAfterItIsForgotten() {
		RateLimitDecision given = decide(10);
		this.remote.beforeChange = () -> assertThat(decide(1).allowed()).isFalse();
		this.states.refund("key", 10, given);
		assertThat(decide(10).allowed()).isTrue();
		this.states.reset("key");
		this.remote.beforeChange = () -> {
		};
		assertThat(decide(10).allowed()).isTrue();
		this.remote.meanwhile = () -> this.states.reset("key");
		assertThat(decide(1).allowed()).isFalse();
		assertThat(decide(10).allowed()).isTrue();
		this.clock.advanceNanos(1);
		decide(1);
		this.remote.calls();
		assertThat(decide(1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aResetReachesTheFallbackAndForgetsTheStoresAnswersAlsoIfItFails(boolean fails) {
		decide(10);
		assertThat(decide(1).allowed()).isFalse();
		this.remote.fails = fails;
		if (fails) {
			decide(0);
			assertThatIllegalStateException().isThrownBy(() -> this.states.reset("key"))
				.withMessage("The key was not reset, because The grid cannot be asked: the cable is cut");
		}
		else {
			this.states.reset("key");
		}
		this.remote.fails = true;
		this.remote.calls();
		assertThat(decide(0)).returns(true, RateLimitDecision::fallback).returns(10L, RateLimitDecision::remaining);
		assertThat(this.remote.calls()).isOne();
	}

	/* An event loop would stand still, also if no answer is needed. */
	@Test
	void aThreadThatMustNotBlockIsRefusedBeforeTheStoreIsAsked() {
		RateLimitDecision given = decide(1);
		for (boolean fails : new boolean[] { false, true }) {
			this.remote.fails = fails;
			this.remote.calls();
			for (Runnable waiting : List.<Runnable>of(() -> decide(1), () -> this.states.refund("key", 1, given),
					() -> this.states.reset("key"))) {
				assertThatIllegalStateException()
					.isThrownBy(() -> Mono.fromRunnable(waiting).subscribeOn(Schedulers.parallel()).block())
					.withMessageStartingWith(
							"A rate limit would wait for The grid, which is not supported in thread parallel-");
			}
			assertThat(this.remote.calls()).isZero();
		}
	}

	@Test
	void aRequestThatOneLimitOfTheFallbackRejectsTakesNothingFromTheOthers() {
		PolicyDecider both = this.store.open(RateLimitPolicy.of("both", TEN,
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofHours(1))));
		this.remote.fails = true;
		assertThat(both.decide("key", 6).allowed()).isFalse();
		assertThat(both.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(10L, 5L);
		RateLimitDecision given = both.decide("key", 4);
		both.refund("key", 4, given);
		assertThat(both.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(10L, 5L);
	}

	@Test
	void evictionsAreThoseOfTheFallback() {
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 100)) {
			PolicyDecider states = new ResilientStore(this.remote, SETTINGS, (policy) -> FailureMode.LOCAL, small::open,
					null, this.clock)
				.open(POLICY);
			this.remote.fails = true;
			for (int i = 0; i < 105; i++) {
				states.decide("key" + i, 1);
			}
			assertThat(states.evictions()).isEqualTo(5);
		}
	}

	@Test
	void failuresToRefundCountAndAnAnswerEndsThem() {
		RateLimitDecision given = decide(1);
		for (boolean fails : new boolean[] { true, true, false, true, true, true }) {
			assertThat(isAvailable()).isTrue();
			this.remote.fails = fails;
			this.states.refund("key", 1, given);
		}
		assertThat(isAvailable()).isFalse();
	}

	/* One permit an hour, and nine wait behind it. */
	private PolicyDecider queue() {
		return this.store.open(RateLimitPolicy.of("queue",
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(1)
					.window(Duration.ofHours(1))
					.burst(9L)
					.build()));
	}

	@Test
	void whatHoldsOnlyForRequestsThatCannotWaitIsNotRemembered() {
		PolicyDecider queue = queue();
		queue.decide("key", 1);
		assertThat(queue.decideWithoutDelay("key", 1).queueFull()).isTrue();
		RateLimitDecision waits = queue.decide("key", 1);
		assertThat(waits.allowed()).isTrue();
		queue.refund("key", 1, waits);
		assertThat(queue.decide("key", 0).remaining()).isEqualTo(9);
		assertThat(queue.decideWithoutDelay("key", 0).remaining()).isZero();
		this.remote.fails = true;
		assertThat(queue.decide("key", 0).remaining()).isEqualTo(9);
		assertThat(queue.decideWithoutDelay("key", 1).queueFull()).isTrue();
		assertThat(queue.decide("key", 1).delayNanos()).isPositive();
	}

	@Test
	void whatThePolicyRejectsAnywayIsRememberedOfRequestsThatCannotWaitToo() {
		PolicyDecider queue = queue();
		queue.decide("key", 10);
		assertThat(queue.decideWithoutDelay("key", 1)).returns(false, RateLimitDecision::allowed)
			.returns(false, RateLimitDecision::queueFull);
		this.remote.calls();
		assertThat(queue.decide("key", 1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
	}

}
