package io.github.ratelimit;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What several limits say together.
 */
class CombinedDecisionTests {

	private final RateLimitDecision roomy = RateLimitDecision.allowed(7, 9, 20, 300, 30);

	private final RateLimitDecision tight = RateLimitDecision.allowed(7, 2, 50, 100, 10);

	private final RateLimitDecision soon = RateLimitDecision.rejected(7, 0, 40, 60, 25);

	private final RateLimitDecision late = RateLimitDecision.rejected(7, 0, 90, 200, 35);

	private final RateLimitDecision never = RateLimitDecision.rejected(7, 3, RateLimitDecision.NEVER, 70, 5);

	@Test
	void allThatAllowAllowTogetherAfterTheLongestDelay() {
		RateLimitDecision both = this.roomy.and(this.tight);
		assertThat(both.allowed()).isTrue();
		assertThat(both.delayNanos()).isEqualTo(50);
		assertThat(both.remaining()).isEqualTo(2);
		assertThat(both.nextPermitAfterNanos()).isEqualTo(10);
		assertThat(both.resetAfterNanos()).isEqualTo(300);
		assertThat(both.decidedAtNanos()).isEqualTo(7);
	}

	@Test
	void oneThatRejectsRejectsForAll() {
		for (RateLimitDecision both : List.of(this.roomy.and(this.soon), this.soon.and(this.roomy))) {
			assertThat(both.allowed()).isFalse();
			assertThat(both.retryAfterNanos()).isEqualTo(40);
			assertThat(both.remaining()).isZero();
			assertThat(both.nextPermitAfterNanos()).isEqualTo(25);
		}
	}

	@Test
	void whoIsRejectedTwiceMayTryAgainWhenBothWouldAllow() {
		RateLimitDecision both = this.soon.and(this.late);
		assertThat(both.retryAfterNanos()).isEqualTo(90);
		assertThat(both.nextPermitAfterNanos()).isEqualTo(35);
	}

	@Test
	void whatOneLimitCanNeverAllowCanNeverPass() {
		assertThat(this.never.and(this.late).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
		assertThat(this.roomy.and(this.never).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
	}

	@Test
	void howLimitsAreGroupedDoesNotMatter() {
		List<RateLimitDecision> all = List.of(this.roomy, this.soon, this.tight, this.late, this.never);
		RateLimitDecision fromLeft = RateLimitDecision.combined(all.toArray(RateLimitDecision[]::new));
		RateLimitDecision fromRight = this.roomy.and(this.soon.and(this.tight.and(this.late.and(this.never))));
		assertThat(fromRight).usingRecursiveComparison().isEqualTo(fromLeft);
		assertThat(fromRight.limits()).isEqualTo(all);
	}

}
