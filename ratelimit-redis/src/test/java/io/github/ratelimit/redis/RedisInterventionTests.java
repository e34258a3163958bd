package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bans, exemptions and denials by hand of instances that share a Redis server.
 */
class RedisInterventionTests extends OneServer {

	private static final Duration HOUR = Duration.ofHours(1);

	@AutoClose
	private final TestStore one = TestStore.of(redis, TestStore.PATIENT);

	@AutoClose
	private final TestStore other = TestStore.of(redis, TestStore.PATIENT);

	private StoreRateLimiterRegistry here;

	private StoreRateLimiterRegistry there;

	@BeforeEach
	void start() {
		this.here = instance(this.one);
		this.there = instance(this.other);
	}

	private static StoreRateLimiterRegistry instance(TestStore store) {
		StoreRateLimiterRegistry instance = new StoreRateLimiterRegistry(store.store(), List.of());
		instance.register(RateLimitPolicy.of("login", window()));
		instance.register(RateLimitPolicy.of("api", window()));
		instance.register(RateLimitPolicy.builder("tried").limit(window()).mode(RateLimitMode.SHADOW).build());
		instance.followOverrides();
		return instance;
	}

	private static RateLimit window() {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofDays(31));
	}

	private static Target ada(Kind kind) {
		return Target.ofKey(kind, "login", "ada");
	}

	private static RateLimitIntervention of(Target target) {
		Duration duration = (target.kind() == Kind.BAN) ? HOUR : null;
		return new RateLimitIntervention(target, duration, "why", "me");
	}

	@Test
	void anotherInstanceFollowsAndOneThatStartsReadsThem() {
		this.here.interventions().put(of(ada(Kind.BAN)));
		this.here.overrides().put(RateLimitOverride.of("login").key("ada").limit(window()).build());
		assertThat(this.there.decide("login", "ada").allowed()).isTrue();
		this.there.followOverrides();
		assertThat(this.there.decide("login", "ada").retryAfter()).isBetween(HOUR.minusMinutes(30), HOUR);
		try (TestStore late = TestStore.of(redis, TestStore.PATIENT)) {
			StoreRateLimiterRegistry restarted = instance(late);
			assertThat(restarted.decide("login", "ada").banned()).isTrue();
			assertThat(restarted.overrides().inForce()).hasSize(1);
			assertThat(restarted.interventions().find(ada(Kind.BAN)).intervention()).isEqualTo(of(ada(Kind.BAN)));
			restarted.interventions().remove(ada(Kind.BAN));
		}
		this.here.followOverrides();
		assertThat(this.here.decide("login", "ada").allowed()).isTrue();
		assertThat(this.here.overrides().inForce()).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void whatOperatorsHaveDecidedAsksTheServerNothing(Kind kind) {
		this.here.interventions().put(of(ada(kind)));
		int before = this.one.calls();
		for (int i = 0; i < 3; i++) {
			assertThat(this.here.decide("login", "ada").allowed()).isEqualTo(kind == Kind.EXEMPT);
			this.here.peek("login", "ada");
		}
		assertThat(this.one.calls()).isEqualTo(before);
	}

	@ParameterizedTest
	@EnumSource(names = { "BAN", "DENY" })
	void aRequestOfSeveralPoliciesAsksTheServerNothing(Kind kind) {
		this.here.interventions().put(of(ada(kind)));
		int before = this.one.calls();
		List<PermitRequest> requests = List.of(PermitRequest.of(this.here.policy("tried"), "ada", 1),
				PermitRequest.of(this.here.policy("api"), "ada", 1),
				PermitRequest.of(this.here.policy("login"), "ada", 1));
		Acquisition blocking = new Acquisition(new WaitingRoom(this.one.clock(), 9));
		assertThat(blocking.take(requests)).isFalse();
		Acquisition reactive = new Acquisition(new WaitingRoom(this.one.clock(), 9));
		assertThat(ReactivePermits.take(reactive, requests).block()).isFalse();
		assertThat(blocking.rejection().decision().denied()).isEqualTo(kind == Kind.DENY);
		assertThat(this.one.calls()).isEqualTo(before);
		assertThat(redis.keys()).allMatch((key) -> key.contains("{overrides}"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whatIsTakenAfterARefusalAsksTheServerAsEver(boolean blocking) {
		this.here.interventions().put(of(ada(Kind.BAN)));
		Acquisition request = new Acquisition(new WaitingRoom(this.one.clock(), 9));
		assertThat(take(request, blocking, "login", 1)).isFalse();
		assertThat(take(request, blocking, "api", 4)).isTrue();
		assertThat(take(request, blocking, "api", 6)).isFalse();
		assertThat(this.there.peek("api", "ada").remaining()).isEqualTo(5);
	}

	private boolean take(Acquisition request, boolean blocking, String policy, long permits) {
		List<PermitRequest> requests = List.of(PermitRequest.of(this.here.policy(policy), "ada", permits));
		return blocking ? request.take(requests) : ReactivePermits.take(request, requests).block();
	}

	@Test
	void whatWasTakenBeforeABanIsRefundedThere() {
		Acquisition request = new Acquisition(new WaitingRoom(this.one.clock(), 9));
		assertThat(ReactivePermits.take(request, List.of(PermitRequest.of(this.here.policy("api"), "ada", 4))).block())
			.isTrue();
		this.here.interventions().put(of(ada(Kind.BAN)));
		assertThat(
				ReactivePermits.take(request, List.of(PermitRequest.of(this.here.policy("login"), "ada", 1))).block())
			.isFalse();
		assertThat(this.there.peek("api", "ada").remaining()).isEqualTo(5);
	}

}
