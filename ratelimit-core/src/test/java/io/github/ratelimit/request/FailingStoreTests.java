package io.github.ratelimit.request;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link SeparateSession}: a store that fails for one of several policies takes from none
 * of them, and never refunds twice.
 */
class FailingStoreTests extends Acquiring {

	private final Decider first = new Decider("first");

	private final Decider second = new Decider("second");

	private final Decider third = new Decider("third");

	private void decide() {
		SeparateSession.INSTANCE.decide(List.of(this.first.question(), this.second.question(), this.third.question()));
	}

	@Test
	void whatALaterPolicyFailsToDecideIsRefundedByTheEarlierOnes() {
		this.third.failsToDecide = true;
		assertThatIllegalStateException().isThrownBy(this::decide).withMessage("third does not decide");
		assertThat(this.first.remaining()).isEqualTo(3);
		assertThat(this.second.remaining()).isEqualTo(3);
	}

	@Test
	void whatAStoreFailsToRefundIsRefundedByNoOtherTwice() {
		this.first.failsToRefund = true;
		this.third.rejects = true;
		assertThatIllegalStateException().isThrownBy(this::decide).withMessage("first does not refund");
		assertThat(this.first.refunds).isEqualTo(1);
		assertThat(this.second.refunds).isEqualTo(1);
	}

	@Test
	void whyItHadToBeRefundedIsNotHiddenByARefundThatFails() {
		this.first.failsToRefund = true;
		this.third.failsToDecide = true;
		assertThatIllegalStateException().isThrownBy(this::decide)
			.withMessage("third does not decide")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).singleElement()
				.asInstanceOf(InstanceOfAssertFactories.THROWABLE)
				.hasMessage("first does not refund"));
		assertThat(this.second.refunds).isEqualTo(1);
	}

	/**
	 * Decides for a policy of three permits, in a store that may fail after it was looked
	 * at.
	 */
	private final class Decider extends ForwardingDecider {

		private final String name;

		private boolean failsToDecide;

		private boolean failsToRefund;

		private boolean rejects;

		private int refunds;

		Decider(String name) {
			super(open(name));
			this.name = name;
		}

		private Question question() {
			return Question.of(this, "key", 2, false);
		}

		private long remaining() {
			return decide("key", 0).remaining();
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			if (permits > 0 && this.failsToDecide) {
				throw new IllegalStateException(this.name + " does not decide");
			}
			if (permits > 0 && this.rejects) {
				super.decide(key, permits);
			}
			return super.decide(key, permits);
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			this.refunds++;
			if (this.failsToRefund) {
				throw new IllegalStateException(this.name + " does not refund");
			}
			super.refund(key, permits, given);
		}

	}

	private PolicyDecider open(String name) {
		return this.local
			.open(RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 3, Duration.ofMinutes(1))));
	}

}
