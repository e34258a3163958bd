package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For how long a rejection holds, for which requests, and when it is renewed.
 */
class RememberedAnswersTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1)));

	private static final int KEYS = 1000;

	private static final Duration MAX_MEMORY = Duration.ofMillis(1000);

	private final RememberedAnswers rejections = new RememberedAnswers(POLICY,
			FixedSlots.within(MemoryBudget.ofHeap()).open(1), MAX_MEMORY, false);

	private static RateLimitDecision rejected(long remaining, long retry, long next) {
		return RateLimitDecisions.rejected(0, remaining, retry, retry, next);
	}

	private static long millis(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

	private void remember(RateLimitDecision decision) {
		this.rejections.remember("key", 1, false, decision, 0);
	}

	private boolean isKnown(long permits, long now) {
		return this.rejections.find("key", permits, now) != null;
	}

	@Test
	void aRejectionThatWouldHoldForLongerIsRenewedByOneRequest() {
		remember(rejected(0, millis(5000), millis(5000)));
		assertThat(isKnown(1, millis(900) - 1)).isTrue();
		assertThat(isKnown(0, millis(900))).isTrue();
		assertThat(isKnown(1, millis(900))).isFalse();
		assertThat(isKnown(1, millis(900))).isTrue();
		assertThat(isKnown(1, millis(1000) - 1)).isTrue();
		assertThat(isKnown(1, millis(1000))).isFalse();
		assertThat(isKnown(0, millis(1000))).isFalse();
	}

	@Test
	void whoForgetsARejectionLateBringsNoneBackThatAnotherHasForgotten() {
		this.rejections.forgetRejection("key", millis(5));
		this.rejections.forgetRejection("key", millis(2));
		this.rejections.remember("key", 1, false, rejected(0, millis(500), millis(500)), millis(3));
		assertThat(isKnown(1, millis(6))).isFalse();
		this.rejections.remember("key", 1, false, rejected(0, millis(500), millis(500)), millis(7));
		assertThat(isKnown(1, millis(8))).isTrue();
	}

	@Test
	void anAnswerFromBeforeAResetIsNotRememberedAfterIt() {
		RememberedAnswers all = new RememberedAnswers(POLICY, FixedSlots.within(MemoryBudget.ofHeap()).open(1),
				MAX_MEMORY, true);
		for (String key : List.of("known", "unknown")) {
			if (key.equals("known")) {
				all.remember(key, 1, false, rejected(0, millis(500), millis(500)), millis(1));
			}
			all.forget(key, millis(5));
			all.remember(key, 1, false, rejected(0, millis(500), millis(500)), millis(5));
			assertThat(all.last(key)).as(key).isNull();
			all.remember(key, 1, false, rejected(0, millis(500), millis(500)), millis(6));
			assertThat(all.last(key)).as(key).isNotNull();
		}
	}

	@Test
	void ofCallersAtTheSameMomentOneRenewsARejection() {
		for (int i = 0; i < KEYS; i++) {
			this.rejections.remember("key" + i, 1, false, rejected(0, millis(5000), millis(5000)), 0);
		}
		AtomicInteger arrived = new AtomicInteger();
		long renewals = Threads.sum(2, (number) -> IntStream.range(0, KEYS).filter((i) -> {
			arrived.incrementAndGet();
			while (arrived.get() < 2 * (i + 1)) {
				Thread.onSpinWait();
			}
			return this.rejections.find("key" + i, 1, millis(900)) == null;
		}).count());
		assertThat(renewals).isEqualTo(KEYS);
	}

	@Test
	void aRejectionThatEndsByItselfIsNotRenewed() {
		remember(rejected(0, millis(1000), millis(1000)));
		assertThat(isKnown(1, millis(950))).isTrue();
		assertThat(isKnown(1, millis(1000))).isFalse();
		remember(rejected(0, millis(500), millis(500)));
		assertThat(isKnown(1, millis(490))).isTrue();
		assertThat(isKnown(1, millis(500))).isFalse();
	}

	@Test
	void onlyALimitThatRejectsEndsARejection() {
		remember(RateLimitDecisions.combined(RateLimitDecisions.allowed(0, 0, 0, millis(100), millis(100)),
				rejected(0, RateLimitDecision.NEVER, millis(300))));
		assertThat(isKnown(1, millis(300) - 1)).isTrue();
		assertThat(isKnown(1, millis(300))).isFalse();
	}

	@Test
	void aLimitThatNeverHasMoreEndsNoRejection() {
		remember(rejected(0, millis(400), 0));
		assertThat(isKnown(1, millis(400) - 1)).isTrue();
		assertThat(isKnown(1, millis(400))).isFalse();
	}

	@Test
	void aDecisionThatLeavesPermitsIsNotRemembered() {
		remember(rejected(1, millis(500), millis(500)));
		assertThat(isKnown(1, 0)).isFalse();
		remember(RateLimitDecisions.allowed(0, 0, 0, millis(500), millis(500)));
		assertThat(isKnown(1, 0)).isFalse();
	}

	/*
	 * Another may ask and be answered after a request has read the time, and before it
	 * looks for an answer.
	 */
	@Test
	void anAnswerThatHoldsForNoTimeIsNotGivenToARequestThatWasHeldUpBeforeIt() {
		RememberedAnswers all = new RememberedAnswers(POLICY, FixedSlots.within(MemoryBudget.ofHeap()).open(1),
				MAX_MEMORY, true);
		all.remember("key", 1, false, RateLimitDecisions.allowed(0, 0, 0, millis(500), millis(500)), 1);
		assertThat(all.last("key")).isNotNull();
		assertThat(all.find("key", 1, 0)).isNull();
		assertThat(all.find("key", 0, 0)).isNull();
	}

	@Test
	void theLatestRejectionIsRememberedForItsPermits() {
		remember(rejected(0, millis(500), millis(500)));
		assertThat(isKnown(2, 0)).isFalse();
		this.rejections.remember("key", 2, false, rejected(0, millis(500), millis(500)), 0);
		assertThat(isKnown(2, 0)).isTrue();
		assertThat(isKnown(1, 0)).isFalse();
	}

	@Test
	void eachOfSeveralLimitsIsCountedInTheAnswersBytes() {
		long decisionAndPlace = RememberedAnswers.bytes(3) - RememberedAnswers.bytes(2);
		assertThat(RememberedAnswers.bytes(4) - RememberedAnswers.bytes(3)).isEqualTo(decisionAndPlace);
		assertThat(decisionAndPlace).isBetween(64L, 128L);
		assertThat(RememberedAnswers.bytes(2) - RememberedAnswers.bytes(1)).isBetween(2 * decisionAndPlace,
				3 * decisionAndPlace);
		assertThat(RememberedAnswers.bytes(1)).isBetween(decisionAndPlace, 3 * decisionAndPlace);
	}

}
