package io.github.ratelimit.request;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link Acquisition}: all of a request's policies or none, each once, whatever the
 * algorithm and however many calls the request makes.
 */
@ParameterizedClass
@EnumSource(Asking.class)
class AcquisitionTests extends Acquiring {

	private static final int REMEMBERED_KEYS = 1024;

	private final RateLimiter limiter = bucket("limiter", 10);

	AcquisitionTests(Asking asking) {
		super(asking);
	}

	@ParameterizedTest
	@EnumSource
	void rejectionTakesNothingFromTheOtherPolicies(RateLimitAlgorithm algorithm) {
		PermitRequest wide = of(roomy("wide", algorithm, 10), "key", 2);
		PermitRequest narrow = of(roomy("narrow", algorithm, 1), "key", 3);
		assertThat(take(wide, narrow)).isFalse();
		assertThat(this.request.rejection()).isNotNull()
			.satisfies((entry) -> assertThat(entry.request()).isEqualTo(narrow));
		assertThat(RateLimitOutcome.values()).allMatch((outcome) -> wide.limiter().count(outcome) == 0);
		assertThat(narrow.limiter().count(RateLimitOutcome.REJECTED)).isEqualTo(1);
		assertThat(look(wide).resetAfterNanos()).isZero();
		assertThat(look(narrow).resetAfterNanos()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void aLaterStepsRejectionRefundsWhatEarlierStepsGave(RateLimitAlgorithm algorithm) {
		PermitRequest first = of(roomy("first", algorithm, 10), "key", 2);
		PermitRequest second = of(roomy("second", algorithm, 10), "key", 2);
		PermitRequest last = of(roomy("last", algorithm, 1), "key", 3);
		assertThat(take(first)).isTrue();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(take(second)).isTrue();
		assertThat(take(of(first.limiter(), "key", 3))).as("of the first once more").isTrue();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(take(last)).isFalse();
		assertThat(look(first).resetAfterNanos()).isZero();
		assertThat(look(second).resetAfterNanos()).isZero();
		assertThat(this.request.entries()).extracting((entry) -> entry.decision().remaining())
			.containsExactly(look(first).remaining(), look(second).remaining(), look(last).remaining());
	}

	@Test
	void whatOneRequestMeetsTwiceIsTakenOnceAtItsHighestCost() {
		PermitRequest one = of(this.limiter, "key", 1);
		PermitRequest other = of(this.limiter, "other", 1);
		assertThat(take(one)).isTrue();
		assertThat(take(one, other)).isTrue();
		assertThat(take(of(this.limiter, "key", 4), one)).isTrue();
		assertThat(remaining(one)).isEqualTo(6);
		assertThat(remaining(other)).isEqualTo(9);
	}

	@Test
	void whatWouldPassTakesNothingAndWhatIsPaidWouldPassAgain() {
		PermitRequest narrow = of(bucket("narrow", 1), "key", 1);
		PermitRequest wide = of(this.limiter, "key", 10);
		assertThat(this.request.wouldPass(List.of(wide, narrow))).isTrue();
		assertThat(remaining(wide)).isEqualTo(10);
		assertThat(take(narrow)).isTrue();
		assertThat(this.request.wouldPass(List.of(wide, narrow))).isTrue();
		Acquisition other = new Acquisition(new WaitingRoom(this.clock, 9));
		assertThat(other.wouldPass(List.of(wide, narrow))).isFalse();
		assertThat(other.wouldPass(List.of(wide))).isTrue();
		assertThat(other.wouldPass(List.of(of(this.limiter, "key", 11)))).isFalse();
		assertThat(other.wouldPass(List.of())).isTrue();
		assertThat(RateLimitOutcome.values()).allMatch((outcome) -> this.limiter.count(outcome) == 0);
	}

	@Test
	void whatIsOnlyTriedWouldPass() {
		RateLimiter tried = this.registry.register(RateLimitPolicy.builder("tried")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofMinutes(1)))
			.mode(RateLimitMode.SHADOW)
			.build());
		assertThat(this.request.wouldPass(List.of(of(tried, "key", 2)))).isTrue();
	}

	@Test
	void theWaitIsTheLongestOfAllPolicies() {
		PermitRequest slow = of(roomy("slow", RateLimitAlgorithm.LEAKY_BUCKET, 60), "key", 1);
		PermitRequest fast = of(roomy("fast", RateLimitAlgorithm.LEAKY_BUCKET, 600), "key", 1);
		assertThat(take(new Acquisition(new WaitingRoom(this.clock, 9)), List.of(slow, fast))).isTrue();
		assertThat(take(slow)).isTrue();
		this.clock.advance(Duration.ofMillis(300));
		assertThat(take(fast)).isTrue();
		assertThat(this.request.delayNanos()).isEqualTo(Duration.ofMillis(700).toNanos());
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.request.delayNanos()).isZero();
	}

	@Test
	void whatALaterPolicyRejectsAfterAllIsRefundedByTheEarlierOnes() {
		PolicyDecider first = decider("first", 3);
		PolicyDecider second = decider("second", 1);
		PolicyDecider raced = new ForwardingDecider(first) {

			@Override
			public RateLimitDecision decide(String key, long permits) {
				if (permits > 0) {
					second.decide("b", 1);
				}
				return super.decide(key, permits);
			}

		};
		List<RateLimitDecision> answers = SeparateSession.INSTANCE
			.decide(List.of(Question.of(raced, "a", 2, false), Question.of(second, "b", 1, false)));
		assertThat(answers).first().isNull();
		assertThat(answers).last().matches((rejection) -> !rejection.allowed());
		assertThat(first.decide("a", 0).remaining()).isEqualTo(3);
	}

	@Test
	void whoMayWaitIsNotAskedBeforeThePolicyThatRejects() {
		StoreRateLimiter waiting = this.registry.register(RateLimitPolicy.builder("waiting")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1)))
			.maxWait(Duration.ofSeconds(2))
			.build());
		PermitRequest exhausted = of(waiting, "key", 1);
		waiting.decide("key", 1);
		List<RateLimitDecision> answers = SeparateSession.INSTANCE
			.decide(List.of(exhausted, of(bucket("narrow", 1), "key", 2)));
		assertThat(answers).first().isNull();
		assertThat(waiting.decide("key", 1).delay()).isEqualTo(Duration.ofSeconds(1));
		assertThat(exhausted.lacksPermits(waiting.effectivePolicy("key").decide("key", 0, false))).isFalse();
	}

	@Test
	void whatOnePlaceHasPaidCoversTheCallsOfAnotherAndAPlaceThatCallsAgainPaysAgain() {
		call("here", 1);
		call("here", 1);
		call("there", 1);
		Acquisition covered = call("there", 1);
		assertThat(remaining("key")).isEqualTo(8);
		assertThat(covered.entries()).isEmpty();
		call("there", 1);
		assertThat(remaining("key")).isEqualTo(7);
	}

	@Test
	void whatTheRequestHasPaidCoversItsCalls() {
		assertThat(take(of(this.limiter, "key", 2))).isTrue();
		call("here", 3);
		assertThat(remaining("key")).isEqualTo(7);
	}

	@Test
	void whatItsCallsHavePaidCoversTheRequestForTheSameKey() {
		call("here", 2);
		assertThat(take(of(this.limiter, "key", 2))).isTrue();
		assertThat(remaining("key")).isEqualTo(8);
		assertThat(this.request.entries()).isEmpty();
		assertThat(take(this.request.call("there"), List.of(of(this.limiter, "other", 1)))).isTrue();
		assertThat(remaining("other")).isEqualTo(9);
	}

	@Test
	void aRejectedCallHasPaidNothing() {
		PermitRequest hopeless = of(bucket("narrow", 1), "key", 2);
		assertThat(take(of(this.limiter, "other", 1))).isTrue();
		assertThat(take(this.request.call("here"), List.of(of(this.limiter, "key", 1), hopeless))).isFalse();
		assertThat(remaining("key")).isEqualTo(10);
		assertThat(remaining("other")).isEqualTo(9);
		call("there", 1);
		assertThat(remaining("key")).isEqualTo(9);
	}

	@Test
	void whatOneCallOrTheRequestItselfAsksTwiceAtOnceItTakesOnce() {
		assertThat(take(of(this.limiter, "key", 4), of(this.limiter, "key", 1))).isTrue();
		assertThat(remaining("key")).isEqualTo(6);
		assertThat(take(this.request.call("here"), List.of(of(this.limiter, "a", 1), of(this.limiter, "a", 4))))
			.isTrue();
		assertThat(remaining("a")).isEqualTo(6);
	}

	@Test
	void beyondABoundKeysAreNotRememberedAndCoverNothing() {
		for (int i = 0; i <= REMEMBERED_KEYS; i++) {
			assertThat(take(this.request.call("here"), List.of(of(this.limiter, "key" + i, 1)))).isTrue();
		}
		String last = "key" + (REMEMBERED_KEYS - 1);
		String beyond = "key" + REMEMBERED_KEYS;
		assertThat(take(this.request.call("there"), List.of(of(this.limiter, last, 1), of(this.limiter, beyond, 1))))
			.isTrue();
		assertThat(remaining(last)).isEqualTo(9);
		assertThat(remaining(beyond)).isEqualTo(8);
	}

	private Acquisition call(String location, long permits) {
		Acquisition call = this.request.call(location);
		assertThat(take(call, List.of(of(this.limiter, "key", permits)))).isTrue();
		return call;
	}

	private long remaining(String key) {
		return this.limiter.peek(key).remaining();
	}

	private RateLimiter roomy(String name, RateLimitAlgorithm algorithm, long limit) {
		return policy(name, RoomyLimits.of(algorithm, limit, Duration.ofMinutes(1)));
	}

	private static RateLimitStanding look(PermitRequest request) {
		return request.limiter().peek(request.key());
	}

	private PolicyDecider decider(String name, long limit) {
		return this.local
			.open(RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofDays(1))));
	}

}
