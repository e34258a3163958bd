package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;

/**
 * {@link StoreRateLimiter} and {@link StoreRateLimiterRegistry}: what they count, tell
 * and pass on.
 */
class StoreRateLimiterTests {

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 2);

	private final List<RateLimitOutcome> reported = new ArrayList<>();

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store,
			List.of((policy, key, decision, outcome) -> this.reported.add(outcome)));

	private final StoreRateLimiter limiter = this.registry.register(policy("first"));

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void policiesHaveAliasesInTheirOrder() {
		assertThat(this.limiter.alias()).isEqualTo("p1");
		assertThat(this.registry.register(policy("second")).alias()).isEqualTo("p2");
	}

	@Test
	void whatIsRefundedIsReportedUnlessItIsNothing() {
		RateLimitDecision given = this.limiter.decideWithoutDelay("key", 2);
		this.limiter.refund("key", 0, given);
		assertThat(this.reported).containsExactly(RateLimitOutcome.ALLOWED);
		this.limiter.refund("key", 2, given);
		assertThat(this.reported).containsExactly(RateLimitOutcome.ALLOWED, RateLimitOutcome.RETURNED);
		assertThat(this.limiter.count(RateLimitOutcome.RETURNED)).isOne();
	}

	@Test
	void keysAndEvictionsAreThoseOfTheStore() {
		assertThat(this.limiter.keys()).isZero();
		IntStream.range(0, 5).forEach((i) -> this.limiter.decide("key" + i, 1));
		assertThat(this.limiter.keys()).isEqualTo(2);
		assertThat(this.limiter.evictions()).isEqualTo(3);
		assertThat(this.limiter.fallbacks()).isZero();
	}

	@Test
	void failuresAreCountedForEachExpression() {
		for (RateLimitExpression expression : RateLimitExpression.values()) {
			assertThat(this.limiter.failures(expression)).isZero();
			this.limiter.countFailure(expression);
			this.limiter.countFailure(expression);
			assertThat(this.limiter.failures(expression)).isEqualTo(2);
		}
	}

	@Test
	void knowsWhereItsPolicyIsAppliedAndWhetherWithAnotherKey() {
		assertThat(this.limiter.appliedTo()).isEmpty();
		assertThat(this.limiter.hasOwnKeys()).isFalse();
		this.limiter.add(new AppliedPlace("a rule", "method", null, null, null));
		this.limiter.add(new AppliedPlace("a rule"));
		this.limiter.add(new AppliedPlace("a method"));
		assertThat(this.limiter.appliedTo()).containsExactly("a method", "a rule");
		assertThat(this.limiter.hasOwnKeys()).isTrue();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> this.limiter.places().clear());
	}

	@Test
	void anObserverSeesEveryLimiterBeforeAndAfterIt() {
		List<String> seen = new ArrayList<>();
		this.registry.observe((limiter) -> seen.add(limiter.policy().name()));
		assertThat(seen).containsExactly("first");
		this.registry.register(policy("second"));
		assertThat(seen).containsExactly("first", "second");
	}

	private static RateLimitPolicy policy(String name) {
		return RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1)));
	}

}
