package io.github.ratelimit.request;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.ForwardingStates;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link Acquisition}: several policies, all or nothing.
 */
class AcquisitionTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	private final RateLimiterRegistry limiter = new StoreRateLimiterRegistry(this.store, List.of());

	@AfterEach
	void close() {
		this.store.close();
	}

	@ParameterizedTest
	@EnumSource
	void rejectionTakesNothingFromTheOtherPolicies(RateLimitAlgorithm algorithm) {
		PermitRequest wide = request("wide", RoomyLimits.of(algorithm, 10, Duration.ofMinutes(1)), 2);
		PermitRequest narrow = request("narrow", RoomyLimits.of(algorithm, 1, Duration.ofMinutes(1)), 3);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(wide, narrow))).isFalse();
		assertThat(acquisition.rejection()).isNotNull()
			.satisfies((entry) -> assertThat(entry.request()).isEqualTo(narrow));
		assertThat(RateLimitOutcome.values()).allMatch((outcome) -> wide.limiter().count(outcome) == 0);
		assertThat(narrow.limiter().count(RateLimitOutcome.REJECTED)).isEqualTo(1);
		assertThat(look(wide).resetAfterNanos()).isZero();
		assertThat(look(narrow).resetAfterNanos()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void aLaterStepsRejectionRefundsWhatEarlierStepsGave(RateLimitAlgorithm algorithm) {
		PermitRequest first = request("first", RoomyLimits.of(algorithm, 10, Duration.ofMinutes(1)), 2);
		PermitRequest second = request("second", RoomyLimits.of(algorithm, 10, Duration.ofMinutes(1)), 2);
		PermitRequest last = request("last", RoomyLimits.of(algorithm, 1, Duration.ofMinutes(1)), 3);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(first))).isTrue();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(acquisition.take(List.of(second))).isTrue();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(acquisition.take(List.of(last))).isFalse();
		assertThat(look(first).resetAfterNanos()).isZero();
		assertThat(look(second).resetAfterNanos()).isZero();
		assertThat(acquisition.entries()).extracting((entry) -> entry.decision().remaining())
			.containsExactly(look(first).remaining(), look(second).remaining(), look(last).remaining());
	}

	@ParameterizedTest
	@EnumSource
	void aPolicyThatWasAskedTwiceIsRefundedTwice(RateLimitAlgorithm algorithm) {
		PermitRequest twice = request("twice", RoomyLimits.of(algorithm, 10, Duration.ofMinutes(1)), 1);
		PermitRequest last = request("last", RoomyLimits.of(algorithm, 1, Duration.ofMinutes(1)), 3);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(twice))).isTrue();
		assertThat(acquisition.take(List.of(PermitRequest.of(twice.limiter(), twice.key(), 3)))).isTrue();
		assertThat(acquisition.take(List.of(last))).isFalse();
		assertThat(look(twice).resetAfterNanos()).isZero();
		assertThat(acquisition.entries()).hasSize(2)
			.first()
			.satisfies((entry) -> assertThat(entry.decision().remaining()).isEqualTo(look(twice).remaining()));
	}

	@Test
	void whatOneRequestMeetsTwiceIsTakenOnce() {
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1));
		PermitRequest one = request("twice", limit, 1);
		PermitRequest four = PermitRequest.of(one.limiter(), one.key(), 4);
		PermitRequest other = PermitRequest.of(one.limiter(), "other", 1);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(one))).isTrue();
		assertThat(acquisition.take(List.of(one, other))).isTrue();
		assertThat(acquisition.take(List.of(four, one))).isTrue();
		assertThat(look(one).remaining()).isEqualTo(6);
		assertThat(look(other).remaining()).isEqualTo(9);
	}

	@Test
	void theWaitIsTheLongestOfAllPolicies() {
		PermitRequest slow = request("slow", RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 1, Duration.ofSeconds(1)),
				1);
		PermitRequest fast = request("fast", RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1)),
				1);
		assertThat(new Acquisition(this.clock).take(List.of(slow, fast))).isTrue();
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(slow))).isTrue();
		this.clock.advance(Duration.ofMillis(300));
		assertThat(acquisition.take(List.of(fast))).isTrue();
		assertThat(acquisition.delayNanos()).isEqualTo(Duration.ofMillis(700).toNanos());
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(acquisition.delayNanos()).isZero();
	}

	@Test
	void aRejectedRequestHasNothingToWaitFor() {
		PermitRequest slow = request("slow", RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 1, Duration.ofSeconds(1)),
				1);
		PermitRequest last = request("last", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1)),
				2);
		slow.limiter().decide("key", 1);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(slow))).isTrue();
		assertThat(acquisition.take(List.of(last))).isFalse();
		assertThat(acquisition.delayNanos()).isZero();
	}

	private PermitRequest request(String policy, RateLimit limit, long permits) {
		return PermitRequest.of(this.limiter.register(RateLimitPolicy.of(policy, limit)), "key", permits);
	}

	private static RateLimitStanding look(PermitRequest request) {
		return request.limiter().peek(request.key());
	}

	@Test
	void whatALaterPolicyRejectsAfterAllIsRefundedByTheEarlierOnes() {
		PolicyDecider first = states("first", 3);
		PolicyDecider second = states("second", 1);
		PolicyDecider raced = new ForwardingStates(first) {

			@Override
			public RateLimitDecision decide(String key, long permits) {
				if (permits > 0) {
					second.decide("b", 1);
				}
				return super.decide(key, permits);
			}

		};
		List<RateLimitDecision> answers = JointPermits.SeparateSession.INSTANCE
			.decide(List.of(new Question(raced, "a", 2, false), new Question(second, "b", 1, false)));
		assertThat(answers).first().isNull();
		assertThat(answers).last().matches((rejection) -> !rejection.allowed());
		assertThat(first.decide("a", 0).remaining()).isEqualTo(3);
	}

	private PolicyDecider states(String name, long limit) {
		return this.store
			.open(RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofDays(1))));
	}

}
