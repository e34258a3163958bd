package io.github.ratelimit.request;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What operators have decided by hand, where a request asks several policies, or asks in
 * another way than alone and at once.
 */
@ParameterizedClass
@EnumSource(Asking.class)
class InterventionAcquisitionTests extends Acquiring {

	/* How often a store was asked about the states of keys. */
	private final AtomicInteger asked = new AtomicInteger();

	private final StoreRateLimiter wide;

	private final StoreRateLimiter narrow;

	InterventionAcquisitionTests(Asking asking) {
		super(asking);
		this.registry = registry(asking.of(new RateLimitStore() {

			@Override
			public String name() {
				return "counting";
			}

			@Override
			public PolicyDecider open(RateLimitPolicy policy) {
				return new Counting(InterventionAcquisitionTests.this.local.open(policy));
			}

		}));
		this.wide = bucket("wide", 10);
		this.narrow = bucket("narrow", 10);
	}

	private void put(Kind kind, StoreRateLimiter limiter) {
		Duration duration = (kind == Kind.BAN) ? Duration.ofHours(1) : null;
		this.registry.interventions()
			.put(new RateLimitIntervention(Target.ofKey(kind, limiter.policy().name(), "key"), duration, null, null));
	}

	@Test
	void aBanOfOnePolicyRejectsTheRequestAndNoStoreIsAsked() {
		put(Kind.BAN, this.narrow);
		assertThat(take(of(this.wide, "key", 1), of(this.narrow, "key", 1))).isFalse();
		assertThat(this.request.rejection().decision().outcome()).isEqualTo(RateLimitOutcome.BANNED);
		assertThat(this.request.entries()).hasSize(1);
		assertThat(this.narrow.count(RateLimitOutcome.BANNED)).isEqualTo(1);
		assertThat(this.asked).hasValue(0);
		assertThat(remaining(of(this.wide, "key", 1))).isEqualTo(10);
	}

	@Test
	void aDenialRejectsAndIsCountedApart() {
		put(Kind.DENY, this.wide);
		assertThat(take(of(this.wide, "key", 1), of(this.narrow, "key", 1))).isFalse();
		assertThat(take(of(this.wide, "key", 1))).isFalse();
		RateLimitDecision decision = this.request.rejection().decision();
		assertThat(decision.denied()).isTrue();
		assertThat(this.wide.intervened(Kind.DENY)).isEqualTo(2);
		assertThat(RateLimitOutcome.values()).allMatch((outcome) -> this.wide.count(outcome) == 0);
		assertThat(this.asked).hasValue(0);
	}

	@Test
	void ofADenialAndABanTheDenialIsTold() {
		put(Kind.BAN, this.wide);
		put(Kind.DENY, this.narrow);
		assertThat(take(of(this.wide, "key", 1), of(this.narrow, "key", 1))).isFalse();
		assertThat(this.request.rejection().decision().denied()).isTrue();
	}

	@Test
	void whatWasTakenBeforeIsRefunded() {
		assertThat(take(of(this.wide, "key", 4))).isTrue();
		put(Kind.BAN, this.narrow);
		assertThat(take(of(this.narrow, "key", 1))).isFalse();
		assertThat(remaining(of(this.wide, "key", 1))).isEqualTo(10);
		assertThat(this.wide.count(RateLimitOutcome.RETURNED)).isEqualTo(1);
	}

	@Test
	void aRequestThatIsChargedOrWouldWaitIsRefusedAtOnce() {
		PermitRequest charged = charged("charged", "1", "status >= 400", Map.of());
		StoreRateLimiter queue = queue("queue");
		this.registry.interventions().put(RateLimitIntervention.ban("charged", "all", Duration.ofHours(1), null));
		this.registry.interventions().put(RateLimitIntervention.ban("queue", "key", Duration.ofHours(1), null));
		assertThat(take(new PermitRequest(charged.limiter().effectivePolicy("all"), "all", 1, charged.charge())))
			.isFalse();
		assertThat(this.request.isUnfinished()).isFalse();
		assertThat(take(of(queue, "key", 1))).isFalse();
		assertThat(this.request.isUnfinished()).isFalse();
		assertThat(this.asked).hasValue(0);
	}

	@Test
	void nothingIsAskedInShadowOfARefusedRequest() {
		StoreRateLimiter tried = this.registry.register(RateLimitPolicy.builder("tried")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofMinutes(1)))
			.mode(RateLimitMode.SHADOW)
			.build());
		put(Kind.BAN, this.narrow);
		assertThat(take(of(tried, "key", 1), of(this.narrow, "key", 1))).isFalse();
		assertThat(this.asked).hasValue(0);
		assertThat(tried.count(RateLimitOutcome.ALLOWED)).isZero();
	}

	@Test
	void whatIsRefusedWouldNotPass() {
		put(Kind.BAN, this.narrow);
		assertThat(this.request.wouldPass(List.of(of(this.wide, "key", 1), of(this.narrow, "key", 1)))).isFalse();
		assertThat(this.asked).hasValue(0);
	}

	@Test
	void anExemptRequestAndItsCallsAskNothing() {
		put(Kind.BAN, this.narrow);
		this.request.exempt();
		for (int i = 0; i < 20; i++) {
			assertThat(take(of(this.wide, "key", 1))).isTrue();
			assertThat(take(of(this.wide, "key", 1), of(this.narrow, "key", 1))).isTrue();
			assertThat(take(this.request.call("here"), List.of(of(this.wide, "key", 1)))).isTrue();
		}
		assertThat(this.asked).hasValue(0);
		assertThat(this.request.entries()).isEmpty();
		assertThat(this.request.isUnfinished()).isFalse();
	}

	private final class Counting extends ForwardingDecider {

		Counting(PolicyDecider decider) {
			super(decider);
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			InterventionAcquisitionTests.this.asked.incrementAndGet();
			return super.decide(key, permits);
		}

	}

}
