package io.github.ratelimit.remote;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A policy whose limits change goes on where it was, also while its store cannot be
 * asked, and nothing that was remembered under other limits decides.
 */
class VersionsTests extends RemoteStoreTest {

	private final AtomicInteger memories = new AtomicInteger();

	private final KeyMemory.Provider provider = new KeyMemory.Provider() {

		@Override
		public <V> KeyMemory<V> open(long bytes) {
			VersionsTests.this.memories.incrementAndGet();
			return FixedSlots.within(MemoryBudget.ofHeap()).open(bytes);
		}

	};

	private final ResilientStore store = new ResilientStore(this.remote, SETTINGS, (policy) -> FailureMode.LOCAL,
			this.local::open, this.provider, this.clock);

	private final PolicyDecider ten = this.store.open(policy(10));

	private static RateLimitPolicy policy(long... limits) {
		List<RateLimit> all = LongStream.of(limits).mapToObj(RemoteStoreTest::limit).toList();
		return RateLimitPolicy.builder("policy").limits(all).build();
	}

	private PolicyDecider under(long... limits) {
		return this.ten.under(policy(limits));
	}

	private void assertRejectionIsRemembered(PolicyDecider states) {
		assertThat(states.decide("key", 1).allowed()).isFalse();
		this.remote.calls();
		assertThat(states.decide("key", 1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
	}

	@Test
	void whatWasTakenStaysTaken() {
		this.ten.decide("key", 8);
		assertThat(under(100).decide("key", 0).remaining()).isEqualTo(92);
		assertThat(under(5).decide("key", 1).allowed()).isFalse();
	}

	@Test
	void aRejectionUnderOtherLimitsIsNotRememberedAndDroppedOnceTheyHaveDecided() {
		PolicyDecider hundred = under(100);
		this.ten.decide("key", 10);
		assertRejectionIsRemembered(this.ten);
		assertThat(hundred.decide("key", 1).allowed()).isTrue();
		this.remote.calls();
		this.ten.decide("key", 1);
		assertThat(this.remote.calls()).isOne();
		this.clock.advanceNanos(1);
		hundred.decide("key", 89);
		assertRejectionIsRemembered(hundred);
	}

	@Test
	void whatIsRefundedUnderOneVersionIsForgottenUnderAll() {
		PolicyDecider twenty = under(20);
		RateLimitDecision given = twenty.decide("key", 10);
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		twenty.refund("key", 10, given);
		assertThat(this.ten.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void anAnswerUnderOtherLimitsIsNoneToBeginAnOutageWith() {
		under(3, 5).decide("key", 2);
		breakDown(this.ten);
		assertThat(this.ten.decide("key", 0)).returns(true, RateLimitDecision::fallback)
			.returns(10L, RateLimitDecision::remaining);
	}

	@Test
	void whatWasTakenInAnOutageStaysTakenInItAndCanBeRefundedToAnotherVersion() {
		PolicyDecider both = under(20, 100);
		breakDown(this.ten);
		long before = this.ten.fallbacks();
		RateLimitDecision given = both.decide("refunded", 5);
		assertThat(this.ten.fallbacks()).isEqualTo(before + 1);
		this.ten.refund("refunded", 5, given);
		assertThat(this.ten.decide("refunded", 0).remaining()).isEqualTo(10);
		assertThat(this.ten.decide("key", 4).fallback()).isTrue();
		assertThat(both.decide("key", 0).remaining()).isEqualTo(16);
		assertThat(both.decide("key", 6).allowed()).isTrue();
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		assertThat(under(20, 7).decide("key", 1).limits()).extracting(LimitStatus::remaining).containsExactly(9L, 0L);
	}

	@Test
	void aResetForgetsWhatOnlyAnotherVersionHasCountedInAnOutage() {
		PolicyDecider both = under(20, 5);
		breakDown(this.ten);
		assertThat(both.decide("key", 5).allowed()).isTrue();
		assertThatIllegalStateException().isThrownBy(() -> this.ten.reset("key"));
		assertThat(both.decide("key", 5).allowed()).isTrue();
	}

	@Test
	void tenThousandVersionsShareOneMemory() {
		for (int i = 1; i <= 10_000; i++) {
			under(i).decide("key" + i, 1);
		}
		assertThat(this.memories).hasValue(1);
	}

	@Test
	void anEnforcedPolicyGoesOnInShadowAndBack() {
		this.ten.decide("key", 10);
		PolicyDecider shadow = Objects.requireNonNull(this.ten.under(policy(12).withMode(RateLimitMode.SHADOW)));
		assertThat(shadow.decideAsync("key", 2)).isCompletedWithValueMatching(RateLimitDecision::allowed);
		assertThat(shadow.decideAsync("key", 1)).isCompletedWithValueMatching((decision) -> !decision.allowed());
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		assertThat(Objects.requireNonNull(shadow.under(policy(20))).decide("key", 0).remaining()).isEqualTo(8);
	}

	@Test
	void versionsAreAskedInSessionsAndPermitsOfAKeyAreRefundedInTurnWhateverVersionGaveThem() {
		PolicyDecider twenty = under(20);
		PolicyDecider other = this.store.open(RateLimitPolicy.of("other", limit(5)));
		List<RateLimitDecision> decisions = this.store.sessions()
			.get()
			.decide(List.of(Question.of(twenty, "key", 9, false), Question.of(other, "key", 5, false)));
		assertThat(decisions).allMatch(RateLimitDecision::allowed);
		RateLimitDecision last = this.ten.decide("key", 1);
		this.remote.asked();
		this.store.sessions()
			.get()
			.refund(List.of(new Given(twenty, "key", 9, decisions.get(0)), new Given(other, "key", 5, decisions.get(1)),
					new Given(this.ten, "key", 1, last)));
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 1 to ", "refund 5 to ", "at once:",
				"refund 9 to ");
		assertThat(this.ten.decide("key", 0).remaining()).isEqualTo(10);
		assertThat(IntStream.range(0, 21).filter((i) -> twenty.decide("key", 1).allowed())).hasSize(20);
	}

}
