package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Decisions that are made and have no consequences.
 */
@ExtendWith(OutputCaptureExtension.class)
class ShadowTests extends LocalPolicies {

	private static final RateLimit TWO = window(2);

	private static final RateLimit FIVE = window(5);

	private final List<String> told = new ArrayList<>();

	private final RateLimitListener listener = mock();

	private final StoreRateLimiterRegistry registry = registry(this::tell, this.listener);

	private void tell(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		String delay = (outcome == RateLimitOutcome.DELAYED) ? "+" + decision.delay().toSeconds() : "";
		String ban = (decision.newBan() > 0) ? "#" + decision.newBan() : "";
		this.told.add(policy.name() + " " + policy.mode().id() + " " + outcome.id() + delay + ban);
	}

	private StoreRateLimiter tried(String name, RateLimit limit) {
		return this.registry.register(RateLimitPolicy.builder(name).limit(limit).mode(RateLimitMode.SHADOW).build());
	}

	private StoreRateLimiter both(String name, RateLimit enforced, RateLimit tried) {
		return this.registry
			.register(RateLimitPolicy.builder(name).limit(enforced).shadowLimits(List.of(tried)).build());
	}

	private Acquisition request(StoreRateLimiter... limiters) {
		Acquisition request = new Acquisition(new WaitingRoom(this.clock, 9));
		request.take(ask(limiters));
		return request;
	}

	private static List<PermitRequest> ask(StoreRateLimiter... limiters) {
		return List.of(limiters).stream().map((limiter) -> PermitRequest.of(limiter, "key", 1)).toList();
	}

	private static void assertThatPasses(Acquisition request) {
		assertThat(request.rejection()).isNull();
		assertThat(request.entries()).isEmpty();
		assertThat(request.delayNanos()).isZero();
	}

	@Test
	void s1AllPassAndWhatEnforcementWouldHaveRejectedIsTold() {
		StoreRateLimiter limiter = tried("api",
				RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 3, Duration.ofSeconds(60)));
		for (int i = 0; i < 5; i++) {
			assertThatPasses(request(limiter));
			this.clock.advance(Duration.ofSeconds(5));
		}
		assertThat(this.told).containsExactly("api shadow allowed", "api shadow allowed", "api shadow allowed",
				"api shadow rejected", "api shadow allowed");
		assertThat(shadow(limiter).count(RateLimitOutcome.REJECTED)).isEqualTo(1);
		assertThat(shadow(limiter).rejectedKeys()).isEqualTo(1);
		assertThat(limiter.count(RateLimitOutcome.ALLOWED)).isEqualTo(4);
	}

	@Test
	void s2ShadowLimitsSeeTheTrafficThatTheEnforcedOnesSee() {
		StoreRateLimiter limiter = both("api", FIVE, TWO);
		List<Boolean> passed = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			passed.add(request(limiter).rejection() == null);
		}
		assertThat(passed).containsExactly(true, true, true, true, true, false);
		assertThat(this.told.stream().filter((line) -> line.contains(" shadow "))).containsExactly(
				"api/shadow shadow allowed", "api/shadow shadow allowed", "api/shadow shadow rejected",
				"api/shadow shadow rejected", "api/shadow shadow rejected", "api/shadow shadow rejected");
		assertThat(limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
		assertThat(shadow(limiter).count(RateLimitOutcome.REJECTED)).isEqualTo(4);
	}

	@Test
	void s3NobodyWaitsAndTheWaitsAreTold() {
		StoreRateLimiter limiter = tried("queue",
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(1)
					.window(Duration.ofSeconds(1))
					.burst(2L)
					.build());
		for (int i = 0; i < 4; i++) {
			assertThatPasses(request(limiter));
		}
		assertThat(this.told).containsExactly("queue shadow allowed", "queue shadow delayed+1",
				"queue shadow delayed+2", "queue shadow rejected");
	}

	@Test
	void whatShadowCountsAsBannedIsNotEnforcedLater() {
		StoreRateLimiter limiter = this.registry.register(
				RateLimitPolicy.builder("api").limit(TWO).ban(new RateLimitBan(3)).mode(RateLimitMode.SHADOW).build());
		for (int i = 0; i < 20; i++) {
			assertThatPasses(request(limiter));
		}
		assertThat(shadow(limiter).count(RateLimitOutcome.BANNED)).isEqualTo(16);

		this.registry.overrides().put(RateLimitOverride.of("api").mode(RateLimitMode.ENFORCE).build());
		assertThat(limiter.decide("key", 1).outcome()).isEqualTo(RateLimitOutcome.REJECTED);
		assertThat(limiter.peek("key").banned()).isFalse();

		this.registry.overrides().remove(new RateLimitOverride.Target("api", null, null));
		assertThatPasses(request(limiter));
		assertThat(shadow(limiter).count(RateLimitOutcome.BANNED)).isEqualTo(17);
		assertThat(limiter.peek("key").banned()).isTrue();
	}

	@Test
	void anOverrideToShadowLeavesNoBanBehind() {
		StoreRateLimiter limiter = this.registry
			.register(RateLimitPolicy.builder("api").limit(TWO).ban(new RateLimitBan(3)).build());
		this.registry.overrides().put(RateLimitOverride.of("api").mode(RateLimitMode.SHADOW).build());
		for (int i = 0; i < 20; i++) {
			assertThatPasses(request(limiter));
		}

		this.registry.overrides().remove(new RateLimitOverride.Target("api", null, null));
		assertThat(limiter.decide("key", 1).outcome()).isEqualTo(RateLimitOutcome.REJECTED);
		limiter.decide("key", 1);
		assertThat(limiter.decide("key", 1).newBan()).isOne();
	}

	@Test
	void whatIsEnforcedBesideItIsEnforcedAndToldAlone() {
		StoreRateLimiter tried = tried("tried", TWO);
		StoreRateLimiter enforced = this.registry.register(RateLimitPolicy.of("enforced", FIVE));
		Acquisition request = request(tried, enforced);
		assertThat(request.entries()).extracting((entry) -> entry.request().limiter()).containsExactly(enforced);
		for (int i = 0; i < 4; i++) {
			request(tried, enforced);
		}
		assertThat(request(tried, enforced).rejection()).isNotNull();
		assertThat(tried.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
		assertThat(tried.count(RateLimitOutcome.REJECTED)).isEqualTo(4);
		assertThat(enforced.count(RateLimitOutcome.RETURNED)).isZero();
	}

	@Test
	void aRequestThatMeetsItInSeveralPlacesIsAskedOnce() {
		StoreRateLimiter tried = tried("tried", FIVE);
		StoreRateLimiter both = both("both", FIVE, FIVE);
		Acquisition request = new Acquisition(new WaitingRoom(this.clock, 9));
		request.take(ask(tried, both, tried));
		request.take(ask(both));
		request.take(List.of(PermitRequest.of(tried, "key", 3), PermitRequest.of(tried, "other", 1)));
		assertThat(tried.peek("key").remaining()).isEqualTo(2);
		assertThat(tried.peek("other").remaining()).isEqualTo(4);
		assertThat(shadow(both).count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		assertThat(both.peek("key").remaining()).isEqualTo(4);
		tried.decide("key", 2);
		Acquisition rejected = request(tried);
		rejected.take(ask(tried));
		rejected.call("place").take(ask(tried));
		assertThat(tried.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	@Test
	void callsWithinARequestPayAsTheyWouldIfItWereEnforced() {
		StoreRateLimiter tried = tried("tried", FIVE);
		StoreRateLimiter enforced = this.registry.register(RateLimitPolicy.of("enforced", FIVE));
		Acquisition request = request(tried, enforced);
		for (int i = 0; i < 3; i++) {
			request.call("one").take(ask(tried, tried, enforced, enforced));
		}
		request.call("another").take(ask(tried, enforced));
		assertThat(enforced.peek("key").remaining()).isEqualTo(2);
		assertThat(tried.peek("key").remaining()).isEqualTo(2);
	}

	@Test
	void codeThatAsksByHandMayPassAndCounts() {
		StoreRateLimiter tried = tried("tried", TWO);
		for (int i = 0; i < 3; i++) {
			RateLimitDecision decision = tried.decide("key", 1);
			assertThat(decision.allowed()).isTrue();
			assertThat(decision.remaining()).isEqualTo(2);
			assertThat(decision.delayNanos()).isZero();
			tried.refund("key", 1, decision);
		}
		assertThat(tried.decideWithoutDelay("key", 1).allowed()).isTrue();
		assertThat(tried.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
		assertThat(tried.count(RateLimitOutcome.RETURNED)).isZero();
		StoreRateLimiter both = both("both", FIVE, TWO);
		for (int i = 0; i < 6; i++) {
			assertThat(both.decide("key", 1).allowed()).isEqualTo(i < 5);
		}
		assertThat(shadow(both).count(RateLimitOutcome.REJECTED)).isEqualTo(4);
	}

	@Test
	void nobodyIsBannedAndTheBansAreTold() {
		RateLimitBan ban = new RateLimitBan(2, Duration.ofMinutes(1), Duration.ofHours(1), 2, Duration.ofDays(1));
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(TWO).ban(ban).mode(RateLimitMode.SHADOW).build());
		for (int i = 0; i < 5; i++) {
			assertThatPasses(request(tried));
		}
		assertThat(this.told).containsExactly("tried shadow allowed", "tried shadow allowed", "tried shadow rejected",
				"tried shadow banned#1", "tried shadow banned");
		then(this.listener).should(never()).onBan(any(), any(), any(), anyInt());
		assertThat(shadow(tried).rejectedKeys()).isEqualTo(1);
		assertThat(tried.decide("key", 1).allowed()).isTrue();
		StoreRateLimiter both = this.registry
			.register(RateLimitPolicy.builder("both").limit(FIVE).ban(ban).shadowLimits(List.of(TWO)).build());
		for (int i = 0; i < 5; i++) {
			assertThat(request(both).rejection()).isNull();
		}
		assertThat(shadow(both).count(RateLimitOutcome.BANNED)).isEqualTo(2);
		assertThat(both.count(RateLimitOutcome.BANNED)).isZero();
	}

	@Test
	void aResetIsOneOfBoth() {
		StoreRateLimiter both = both("both", FIVE, TWO);
		request(both);
		request(both);
		both.reset("key");
		request(both);
		assertThat(shadow(both).count(RateLimitOutcome.REJECTED)).isZero();
		assertThat(both.peek("key").remaining()).isEqualTo(4);
	}

}
