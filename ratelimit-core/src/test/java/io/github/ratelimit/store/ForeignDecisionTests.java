package io.github.ratelimit.store;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.Decisions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;

/**
 * Decisions of implementations of a user's own.
 */
class ForeignDecisionTests {

	private final RateLimitDecision soon = RateLimitDecisions.allowed(0, 2, 50, 100, 10);

	private final RateLimitDecision late = RateLimitDecisions.rejected(0, 0, 90, 200, 35);

	@Test
	void aDecisionOfAnyImplementationCanBeChanged() {
		RateLimitDecision both = RateLimitDecisions.combined(this.soon, this.late);
		RateLimitDecision foreign = ForeignDecision.of(both);
		assertThat(describe(RateLimitDecisions.after(foreign, 10)))
			.isEqualTo(describe(RateLimitDecisions.after(both, 10)));
		assertThat(describe(RateLimitDecisions.asLook(foreign))).isEqualTo(describe(RateLimitDecisions.asLook(both)));
		assertThat(describe(RateLimitDecisions.ofLimit(foreign, 1))).isEqualTo(describe(this.late));
		assertThat(RateLimitDecisions.asFallback(foreign).fallback()).isTrue();
		assertThat(RateLimitDecisions.combined(ForeignDecision.of(this.soon), foreign).limits()).hasSize(3);
	}

	@Test
	void whatADecisionSaysOfItselfIsKept() {
		RateLimitDecision unavailable = ForeignDecision.mock();
		given(unavailable.fallback()).willReturn(true);
		given(unavailable.unavailable()).willReturn(true);
		RateLimitDecision full = ForeignDecision.mock();
		given(full.queueFull()).willReturn(true);
		assertThat(RateLimitDecisions.after(unavailable, 1).unavailable()).isTrue();
		assertThat(RateLimitDecisions.after(full, 1).queueFull()).isTrue();
		assertThat(RateLimitDecisions.after(full, 1).fallback()).isFalse();
	}

	@Test
	void aStoreWithDecisionsOfItsOwnRejectsWhatCannotWait() {
		RateLimitDecision rejection = new Store(this.soon).decideWithoutDelay("key", 1);
		assertThat(rejection.allowed()).isFalse();
		assertThat(rejection.queueFull()).isTrue();
		assertThat(rejection.retryAfterNanos()).isEqualTo(50);
		assertThat(rejection.limits()).extracting(LimitStatus::allowed).containsExactly(false);
	}

	@Test
	void nothingCanBeRefundedOfADecisionWithoutAReceipt() {
		RateLimitDecision foreign = ForeignDecision.of(this.soon);
		assertThatIllegalArgumentException().isThrownBy(() -> RateLimitReceipt.of(foreign));
	}

	private static String describe(RateLimitDecision decision) {
		return Decisions.describe(decision);
	}

	private record Store(RateLimitDecision decision) implements PolicyDecider {

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return ForeignDecision.of(this.decision);
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			assertThat(given).isInstanceOf(ForeignDecision.class);
		}

		@Override
		public void reset(String key) {
		}

	}

}
