package io.github.ratelimit.policy;

import java.time.Instant;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.StoreWithSessions;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which decisions are requests that a policy is advised from.
 */
class ObservedRequestsTests extends LocalPolicies {

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			PlanSettings.of(null, this.clock), 10, this::observer);

	private RequestObserver observer(RateLimitPolicy policy) {
		return new ObservedTraffic(policy, this.clock);
	}

	private static ObservedTraffic traffic(StoreRateLimiter limiter) {
		return (ObservedTraffic) limiter.requestObserver();
	}

	private static RateLimitPolicy.Builder policy(long limit) {
		return RateLimitPolicy.builder("login").limit(bucket(limit));
	}

	@ParameterizedTest
	@EnumSource
	void rejectedRequestsAreTrafficTooAndAreObservedOnceInShadow(RateLimitMode mode) {
		StoreRateLimiter limiter = this.registry.register(policy(2).mode(mode).build());
		limiter.countRejectedKeys();
		for (int i = 0; i < 5; i++) {
			limiter.decide("ada", 1);
		}
		assertThat(traffic(limiter).advice().requests()).isEqualTo(5);
		Instant moment = Instant.EPOCH.plusNanos(this.clock.nanos());
		assertThat(limiter.rejectedMost())
			.containsExactly(new RejectedKey("ada", RejectionLog.hash("ada"), 3, 0, moment, moment));
	}

	@Test
	void looksRefundsAndShadowLimitsBesideEnforcedOnesDoNotCountAgain() {
		StoreRateLimiter limiter = this.registry.register(policy(4).shadowLimits(List.of(bucket(1))).build());
		limiter.countRejectedKeys();
		RateLimitDecision given = limiter.decide("ada", 1);
		limiter.peek("ada");
		limiter.refund("ada", 1, given);
		limiter.reset("ada");
		for (int i = 0; i < 5; i++) {
			limiter.decide("ada", 1);
		}
		assertThat(traffic(limiter).advice().requests()).isEqualTo(6);
		assertThat(limiter.rejectedMost()).extracting(RejectedKey::rejected).containsExactly(1L);
	}

	@Test
	void requestsOfEachWayInAreObservedOnce() {
		StoreRateLimiter shadow = this.registry
			.register(RateLimitPolicy.builder("shadow").limit(bucket(2)).mode(RateLimitMode.SHADOW).build());
		StoreRateLimiterRegistry joint = new StoreRateLimiterRegistry(new StoreWithSessions(this.store), List.of(),
				PlanSettings.of(null, this.clock), 10, this::observer);
		StoreRateLimiter login = joint.register(policy(10).build());
		StoreRateLimiter narrow = joint.register(RateLimitPolicy.of("narrow", bucket(1)));
		for (int i = 0; i < 3; i++) {
			new Acquisition(new WaitingRoom(this.clock, 9)).take(List.of(PermitRequest.of(login, "ada", 2),
					PermitRequest.of(narrow, "ada", 1), PermitRequest.of(shadow, "ada", 2)));
		}
		assertThat(traffic(shadow).advice().requests()).isEqualTo(3);
		assertThat(traffic(narrow).advice().requests()).isEqualTo(3);
		assertThat(traffic(login).advice().requests()).isOne();
	}

	@Test
	void observationGoesOnWhenTheLimitChanges() {
		StoreRateLimiter limiter = this.registry.register(policy(20).build());
		limiter.decide("ada", 1);
		this.registry.change(policy(1000).build()).make();
		limiter.decide("ada", 1);
		Advice advice = traffic(limiter).advice();
		assertThat(advice.requests()).isEqualTo(2);
		assertThat(advice.curves()).extracting(Advice.Curve::limit).contains(20L).endsWith(20_000L);
	}

}
