package io.github.ratelimit.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.ForwardingDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link Acquisition}: who would have to wait needs a slot in the {@link WaitingRoom}.
 */
@ParameterizedClass
@EnumSource(Asking.class)
class BoundedWaitingAcquisitionTests extends Acquiring {

	private final RateLimiter queue = queue("queue");

	private final RateLimiter bucket = bucket("bucket", 2);

	private WaitingRoom room = new WaitingRoom(this.clock, 1);

	BoundedWaitingAcquisitionTests(Asking asking) {
		super(asking);
	}

	@Test
	void whoFindsNoPlaceIsRejectedAndTakesNothing() {
		assertThat(take(this.queue, "a").hasSlot()).isFalse();
		assertThat(take(this.queue, "b").hasSlot()).isFalse();
		assertThat(this.room.waiting()).isZero();
		Acquisition first = take(this.queue, "a");
		assertThat(first.delayNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		assertThat(this.room.waiting()).isEqualTo(1);
		Acquisition second = take(this.queue, "b");
		assertThat(second.rejection()).isNotNull().satisfies((entry) -> {
			assertThat(entry.decision().queueFull()).isTrue();
			assertThat(entry.decision().retryAfter()).isEqualTo(Duration.ofSeconds(1));
		});
		assertThat(this.queue.count(RateLimitOutcome.QUEUE_FULL)).isEqualTo(1);
		assertThat(this.queue.peek("b").resetAfter()).isEqualTo(Duration.ofSeconds(1));
		assertThat(take(this.queue, "c").rejection()).isNull();
	}

	@ParameterizedTest
	@EnumSource(names = { "TOKEN_BUCKET", "FIXED_WINDOW_COUNTER", "SLIDING_WINDOW_LOG" })
	void whoWaitsForAReservedPermitNeedsAPlaceAndWithoutOneReservesNothing(RateLimitAlgorithm algorithm) {
		RateLimiter limiter = this.registry.register(RateLimitPolicy.builder("waiting")
			.limit(RateLimit.of(algorithm, 1, Duration.ofSeconds(1)))
			.maxWait(Duration.ofSeconds(2))
			.build());
		assertThat(take(limiter, "a").delayNanos()).isZero();
		Acquisition waiting = take(limiter, "a");
		assertThat(waiting.delayNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		assertThat(this.room.waiting()).isOne();
		assertThat(take(limiter, "a").rejection()).isNotNull().satisfies((entry) -> {
			assertThat(entry.decision().queueFull()).isTrue();
			assertThat(entry.decision().retryAfter()).isEqualTo(Duration.ofSeconds(2));
		});
		waiting.releaseSlot();
		assertThat(take(limiter, "a").delayNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
		assertThat(take(limiter, "a").rejection()).isNotNull()
			.satisfies((entry) -> assertThat(entry.decision().queueFull()).isFalse());
		assertThat(limiter.count(RateLimitOutcome.DELAYED)).isEqualTo(2);
	}

	@Test
	void aPlaceIsFreeAgainOnceItIsRefundedHoweverOften() {
		take(this.queue, "a");
		Acquisition first = take(this.queue, "a");
		Runnable slot = first.handOverSlot();
		assertThat(first.hasSlot()).isFalse();
		first.releaseSlot();
		assertThat(this.room.waiting()).isEqualTo(1);
		slot.run();
		slot.run();
		assertThat(this.room.waiting()).isZero();
		assertThat(take(this.queue, "a").delayNanos()).isPositive();
	}

	@Test
	void whoHasNothingToWaitForHasNoPlaceToGive() {
		Acquisition alone = take(this.bucket, "a");
		alone.releaseSlot();
		alone.handOverSlot().run();
		Acquisition several = acquisition();
		assertThat(take(several, List.of(one(this.bucket, "b"), one(this.bucket, "c")))).isTrue();
		several.releaseSlot();
		several.handOverSlot().run();
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aRequestThatHasWaitedHoldsNoPlaceForAPolicyThatDoesNotDelayIt() {
		take(this.queue, "a");
		Acquisition acquisition = take(this.queue, "a");
		Runnable slot = acquisition.handOverSlot();
		this.clock.advance(Duration.ofSeconds(1));
		slot.run();
		assertThat(take(acquisition, List.of(one(this.queue, "b")))).isTrue();
		assertThat(acquisition.hasSlot()).isFalse();
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void whoseDelayIsOverLeavesItsPlaceWhereOnlyAPolicyInShadowIsAskedToo() {
		RateLimiter shadow = this.registry.register(RateLimitPolicy.builder("shadow")
			.mode(RateLimitMode.SHADOW)
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 2, Duration.ofMinutes(1)))
			.build());
		take(this.queue, "a");
		Acquisition acquisition = take(this.queue, "a");
		assertThat(take(acquisition, List.of(one(shadow, "a")))).isTrue();
		assertThat(this.room.waiting()).isEqualTo(1);
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(take(acquisition, List.of(one(shadow, "b")))).isTrue();
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void whoIsRejectedByAnotherPolicyHasNoPlaceAndNothingToWaitFor() {
		take(this.queue, "a");
		this.bucket.decide("a", 2);
		Acquisition acquisition = acquisition();
		assertThat(take(acquisition, List.of(one(this.queue, "a")))).isTrue();
		assertThat(acquisition.hasSlot()).isTrue();
		assertThat(take(acquisition, List.of(one(this.bucket, "a")))).isFalse();
		assertThat(acquisition.delayNanos()).isZero();
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void whoFindsNoPlaceWritesToNoOtherPolicy() {
		take(this.queue, "a");
		take(this.queue, "a");
		take(this.queue, "b");
		Acquisition acquisition = acquisition();
		assertThat(take(acquisition, List.of(one(this.bucket, "b"), one(this.queue, "b")))).isFalse();
		assertThat(this.bucket.count(RateLimitOutcome.RETURNED)).isZero();
		assertThat(this.bucket.peek("b").remaining()).isEqualTo(2);
	}

	@Test
	void aCallThatSleepsOnItsThreadNeedsNoPlace() {
		this.room = new WaitingRoom(this.clock, 0);
		take(this.queue, "a");
		Acquisition acquisition = acquisition();
		assertThat(acquisition.take(List.of(one(this.queue, "a")), false)).isTrue();
		assertThat(acquisition.delayNanos()).isPositive();
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void aPolicyThatCouldDelayForTooLongDelaysNobodyAndOneForAsLongAsIsAllowedDoes() {
		long longest = this.queue.policy().longestDelay().toNanos();
		take(this.queue, "a");
		Acquisition hasty = waitingAtMost(longest - 1);
		assertThat(take(hasty, List.of(one(this.queue, "a")))).isFalse();
		assertThat(hasty.rejection()).isNotNull()
			.satisfies((entry) -> assertThat(entry.decision().queueFull()).isTrue());
		assertThat(this.room.waiting()).isZero();
		Acquisition patient = waitingAtMost(longest);
		assertThat(take(patient, List.of(one(this.queue, "a")))).isTrue();
		assertThat(patient.hasSlot()).isTrue();
		assertThat(patient.delayNanos()).isPositive();
		patient.releaseSlot();
		assertThat(patient.hasSlot()).isFalse();
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void policiesThatDelayNobodyTakeNoPlaceFromOthersNotEvenForAMoment() {
		List<Integer> present = new ArrayList<>();
		this.registry = registry(store(), (policy, key, decision, outcome) -> present.add(this.room.waiting()));
		RateLimiter other = bucket("other", 2);
		assertThat(take(acquisition(), List.of(one(other, "a"), one(other, "b")))).isTrue();
		assertThat(present).containsExactly(0, 0);
	}

	@Test
	void aFailureLeavesThePlace() {
		this.registry = registry(store(new WrappedStore(this.local, (decider) -> new ForwardingDecider(decider) {

			@Override
			public RateLimitDecision decide(String key, long permits) {
				throw new IllegalStateException("store");
			}

		})));
		RateLimiter limiter = queue("failing");
		assertThatIllegalStateException().isThrownBy(() -> take(limiter, "a"));
		assertThat(this.room.waiting()).isZero();
	}

	@Test
	void neverDoMoreWaitThanMay() {
		this.room = new WaitingRoom(this.clock, 4);
		AtomicInteger present = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		long waited = Threads.sum(8, (number) -> {
			long own = 0;
			for (int i = 0; i < 250; i++) {
				Acquisition acquisition = take(this.queue, "key" + i % 50);
				if (acquisition.hasSlot()) {
					own++;
					Runnable slot = acquisition.handOverSlot();
					most.accumulateAndGet(present.incrementAndGet(), Math::max);
					present.decrementAndGet();
					slot.run();
				}
			}
			return own;
		});
		assertThat(waited).isGreaterThanOrEqualTo(20);
		assertThat(most.get()).isLessThanOrEqualTo(4);
		assertThat(this.room.waiting()).isZero();
	}

	private Acquisition take(RateLimiter limiter, String key) {
		Acquisition acquisition = acquisition();
		take(acquisition, List.of(one(limiter, key)));
		return acquisition;
	}

	private Acquisition acquisition() {
		return new Acquisition(this.room);
	}

	private static PermitRequest one(RateLimiter limiter, String key) {
		return PermitRequest.of(limiter, key, 1);
	}

	private Acquisition waitingAtMost(long nanos) {
		return new Acquisition(this.room) {

			@Override
			long longestWaitNanos() {
				return nanos;
			}

		};
	}

}
