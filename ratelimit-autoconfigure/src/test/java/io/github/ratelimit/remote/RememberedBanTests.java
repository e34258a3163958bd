package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.Arrays;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What this process remembers of bans: the store sees every rejection that may lead to
 * one, and next to none while it lasts.
 */
class RememberedBanTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final RateLimit ONE = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofDays(1));

	private static final RateLimit COUNTED = RateLimit.builder(RateLimitAlgorithm.SLIDING_WINDOW_LOG)
		.limit(2)
		.window(Duration.ofDays(1))
		.countRejected(true)
		.build();

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 100);

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private final FailingStore remote = new FailingStore(this.shared);

	private PolicyDecider open(RateLimit... limits) {
		ResilienceSettings settings = new ResilienceSettings(Duration.ofSeconds(20), SECOND, SECOND, 1);
		return new ResilientStore(this.remote, settings, (policy) -> FailureMode.LOCAL, this.local::open,
				this.local.memories(), this.clock)
			.open(RateLimitPolicy.builder("policy")
				.limits(Arrays.asList(limits))
				.ban(RateLimitBan.builder().after(3).build())
				.build());
	}

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
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
	void aStoreThatBansIsSaidTo() {
		assertThat(open(ONE).bans()).isTrue();
	}

	@Test
	void aLookAtAKeyThatWasBannedBeforeAnOutageIsNoRejection() {
		PolicyDecider states = open(ONE);
		ban(states);
		this.remote.fails = true;
		this.clock.advance(SECOND);
		assertThat(states.decide("key", 1)).returns(true, RateLimitDecision::banned)
			.returns(false, RateLimitDecision::allowed);
		assertThat(states.decide("key", 0)).returns(true, RateLimitDecision::banned)
			.returns(true, RateLimitDecision::allowed);
	}

	@Test
	void theStoreSeesEveryRejectionUntilTheBanBegins() {
		PolicyDecider states = open(ONE);
		ban(states);
		assertThat(this.remote.calls()).isEqualTo(4);
	}

	@Test
	void theStoreIsAskedAboutOnceASecondWhileTheBanLasts() {
		for (RateLimit limit : new RateLimit[] { ONE, COUNTED }) {
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
		long left = ban(states).retryAfterNanos();
		this.remote.fails = true;
		this.clock.advance(Duration.ofSeconds(2));
		for (int i = 0; i < 6; i++) {
			assertThat(states.decide("key", 1).banned()).isTrue();
			assertThat(states.decide("key", 1).fallback()).isTrue();
		}
		assertThat(states.decide("key", 0).fallback()).isTrue();
		assertThat(states.decide("key", 0).banned()).isTrue();
		assertThat(states.decide("key", 1).retryAfterNanos()).isEqualTo(left - Duration.ofSeconds(2).toNanos());
		assertThat(states.decide("key", 0).remaining()).isZero();
		this.clock.advanceNanos(left - Duration.ofSeconds(2).toNanos());
		RateLimitDecision after = states.decide("key", 1);
		assertThat(after.allowed()).isTrue();
		assertThat(after.fallback()).isTrue();
		for (int i = 0; i < 10; i++) {
			RateLimitDecision rejected = states.decide("key", 1);
			assertThat(rejected.allowed()).isFalse();
			assertThat(rejected.banned()).isFalse();
		}
	}

}
