package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What this process remembers of bans: the store sees every rejection that may lead to
 * one, and next to none while it lasts.
 */
class RememberedBanTests extends RemoteStoreTest {

	private static final RateLimit ONE = limit(1);

	private static final RateLimit COUNTED = TestPolicies.countingRejected(2, Duration.ofDays(1));

	private PolicyDecider open(RateLimit... limits) {
		return store(FailureMode.LOCAL)
			.open(RateLimitPolicy.builder("policy").limits(List.of(limits)).ban(new RateLimitBan(3)).build());
	}

	private static RateLimitDecision ban(PolicyDecider states) {
		RateLimitDecision last = states.decide("key", 1);
		for (int i = 0; i < 10 && !last.banned(); i++) {
			last = states.decide("key", 1);
		}
		assertThat(last.newBan()).isPositive();
		return last;
	}

	@Test
	void theStoreSeesEveryRejectionUntilTheBanBegins() {
		PolicyDecider states = open(ONE);
		assertThat(states.bans()).isTrue();
		ban(states);
		assertThat(this.remote.calls()).isEqualTo(4);
	}

	@Test
	void theStoreIsAskedAboutOnceASecondWhileTheBanLasts() {
		for (RateLimit limit : List.of(ONE, COUNTED)) {
			PolicyDecider states = open(limit);
			states.reset("key");
			this.clock.advanceNanos(1);
			ban(states);
			this.remote.calls();
			for (int i = 0; i < 1000; i++) {
				this.clock.advance(Duration.ofMillis(10));
				RateLimitDecision decision = states.decide("key", 1 + i % 2);
				assertThat(decision.banned()).isTrue();
				assertThat(decision.newBan()).isZero();
				assertThat(decision.retryAfterNanos())
					.isEqualTo(Duration.ofMinutes(5).toNanos() - (i + 1) * Duration.ofMillis(10).toNanos());
				assertThat(states.decide("key", 0).nextPermitAfterNanos()).isEqualTo(decision.retryAfterNanos());
			}
			assertThat(this.remote.calls()).isBetween(9, 13);
		}
	}

	@Test
	void aBanEndsExactlyWhenItDoesInTheStore() {
		PolicyDecider states = open(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 1, Duration.ofMinutes(1)));
		this.clock.advanceNanos(ban(states).retryAfterNanos() - 1);
		assertThat(states.decide("key", 1).banned()).isTrue();
		this.clock.advanceNanos(1);
		assertThat(states.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aResetLiftsWhatIsRemembered() {
		PolicyDecider states = open(ONE);
		ban(states);
		assertThat(states.decide("key", 1).banned()).isTrue();
		states.reset("key");
		assertThat(states.decide("key", 1).allowed()).isTrue();
		assertThat(ban(states).newBan()).isEqualTo(1);
	}

	@Test
	void aBanGoesOnWhileTheStoreIsGoneAndNoneBegins() {
		PolicyDecider states = open(ONE, COUNTED);
		long left = ban(states).retryAfterNanos() - Duration.ofSeconds(2).toNanos();
		this.remote.fails = true;
		this.clock.advance(Duration.ofSeconds(2));
		for (int i = 0; i < 6; i++) {
			assertThat(states.decide("key", 1)).returns(true, RateLimitDecision::banned)
				.returns(false, RateLimitDecision::allowed)
				.returns(true, RateLimitDecision::fallback)
				.returns(left, RateLimitDecision::retryAfterNanos);
			assertThat(states.decide("key", 0)).returns(true, RateLimitDecision::banned)
				.returns(true, RateLimitDecision::allowed)
				.returns(true, RateLimitDecision::fallback)
				.returns(0L, RateLimitDecision::remaining);
		}
		this.clock.advanceNanos(left);
		assertThat(states.decide("key", 1)).returns(true, RateLimitDecision::allowed)
			.returns(true, RateLimitDecision::fallback);
		for (int i = 0; i < 10; i++) {
			assertThat(states.decide("key", 1)).returns(false, RateLimitDecision::allowed)
				.returns(false, RateLimitDecision::banned);
		}
	}

	@Test
	void aBanThatWasCountedInShadowIsNotEnforcedWhileTheStoreIsGone() {
		RateLimitPolicy policy = RateLimitPolicy.builder("policy").limit(ONE).ban(new RateLimitBan(3)).build();
		PolicyDecider enforced = store(FailureMode.LOCAL).open(policy);
		PolicyDecider shadow = enforced.under(policy.withMode(RateLimitMode.SHADOW));
		ban(shadow);
		this.remote.fails = true;
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(enforced.decide("key", 1)).returns(true, RateLimitDecision::allowed)
			.returns(true, RateLimitDecision::fallback);
		assertThat(enforced.decide("key", 1)).returns(false, RateLimitDecision::allowed)
			.returns(false, RateLimitDecision::banned);
	}

}
