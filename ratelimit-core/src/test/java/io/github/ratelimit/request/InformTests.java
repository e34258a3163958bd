package io.github.ratelimit.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A policy that only informs lets pass what it would reject, takes nothing for it, and
 * says so.
 */
@ParameterizedClass
@EnumSource(Asking.class)
class InformTests extends Acquiring {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final StoreRateLimiter informing = informing("informing", 2);

	private final RateLimitInfo info = new DecidedLimits(this.request::decided, this.registry);

	InformTests(Asking asking) {
		super(asking);
	}

	private StoreRateLimiter informing(String name, long limit) {
		return this.registry.register(informing(name).limit(window(limit)).build());
	}

	private static RateLimitPolicy.Builder informing(String name) {
		return RateLimitPolicy.builder(name).mode(RateLimitMode.INFORM);
	}

	private static RateLimit window(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, MINUTE);
	}

	private static PermitRequest one(StoreRateLimiter limiter) {
		return of(limiter, "key", 1);
	}

	/* As another request would. */
	private boolean takeElsewhere(PermitRequest... requests) {
		return take(new PlainRequest(this.clock), List.of(requests));
	}

	@Test
	void whatExceedsPassesAndTakesNothing() {
		assertThat(takeElsewhere(of(this.informing, "key", 2))).isTrue();
		assertThat(take(one(this.informing))).isTrue();
		assertThat(this.request.rejection()).isNull();
		RateLimitDecision decision = this.request.entries().get(0).decision();
		assertThat(decision.allowed()).isTrue();
		assertThat(decision.exceeded()).isTrue();
		assertThat(decision.remaining()).isZero();
		assertThat(decision.retryAfterNanos()).isZero();
		assertThat(decision.delayNanos()).isZero();
		assertThat(decision.outcome()).isEqualTo(RateLimitOutcome.EXCEEDED);
		assertThat(decision.limits()).singleElement()
			.satisfies((limit) -> assertThat(limit.allowed()).isFalse())
			.satisfies((limit) -> assertThat(limit.retryAfter()).isEqualTo(MINUTE));
		assertThat(this.request.entries().get(0).taken()).isZero();
		assertThat(this.informing.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		assertThat(this.informing.count(RateLimitOutcome.EXCEEDED)).isEqualTo(1);
		assertThat(this.informing.count(RateLimitOutcome.REJECTED)).isZero();
		assertThat(this.informing.countInformed(RateLimitOutcome.EXCEEDED)).isEqualTo(1);
		assertThat(this.informing.countEnforced(RateLimitOutcome.EXCEEDED)).isZero();
	}

	@Test
	void codeAsksWhetherItWasExceeded() {
		StoreRateLimiter other = informing("other", 1);
		StoreRateLimiter unasked = informing("unasked", 1);
		assertThat(takeElsewhere(of(this.informing, "key", 2))).isTrue();
		assertThat(take(one(other), one(this.informing))).isTrue();
		assertThat(this.info.isExceeded()).isTrue();
		assertThat(this.info.exceeded()).containsExactly("informing");
		assertThat(this.info.isExceeded("informing")).isTrue();
		assertThat(this.info.isExceeded("other")).isFalse();
		assertThat(this.info.decision("other")).isNotNull().returns(0L, RateLimitDecision::remaining);
		assertThat(this.info.isExceeded(unasked.policy().name())).isFalse();
		assertThat(this.info.decision("unasked")).isNull();
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.info.isExceeded("informin"))
			.withMessage("There is no rate limit policy named 'informin'");
	}

	@Test
	void besideAnEnforcedPolicyItRejectsNobody() {
		StoreRateLimiter enforced = bucket("enforced", 3);
		for (int i = 0; i < 3; i++) {
			assertThat(takeElsewhere(one(this.informing), one(enforced))).isTrue();
		}
		assertThat(enforced.peek("key").remaining()).isZero();
		assertThat(this.informing.count(RateLimitOutcome.EXCEEDED)).isEqualTo(1);
	}

	@Test
	void ofWhatAnotherPolicyRejectsItTakesAndCountsNothing() {
		StoreRateLimiter enforced = bucket("enforced", 3);
		assertThat(take(one(this.informing), of(enforced, "key", 4))).isFalse();
		assertThat(this.informing.peek("key").remaining()).isEqualTo(2);
		assertThat(RateLimitOutcome.values()).allMatch((outcome) -> this.informing.count(outcome) == 0);
	}

	@Test
	void whatALaterStepRejectsIsRefunded() {
		StoreRateLimiter enforced = bucket("enforced", 3);
		StoreRateLimiter exceeded = informing("exceeded", 1);
		takeElsewhere(one(exceeded));
		assertThat(take(one(this.informing), one(exceeded))).isTrue();
		assertThat(take(of(enforced, "key", 4))).isFalse();
		assertThat(this.informing.peek("key").remaining()).isEqualTo(2);
		assertThat(exceeded.peek("key").remaining()).isZero();
		assertThat(this.informing.count(RateLimitOutcome.RETURNED)).isEqualTo(1);
		assertThat(exceeded.count(RateLimitOutcome.RETURNED)).isZero();
	}

	@Test
	void aRequestIsAskedOnceWhateverItMeets() {
		takeElsewhere(of(this.informing, "key", 2));
		assertThat(take(one(this.informing))).isTrue();
		assertThat(take(one(this.informing))).isTrue();
		assertThat(this.informing.count(RateLimitOutcome.EXCEEDED)).isEqualTo(1);
		Acquisition call = this.request.call("method");
		assertThat(take(call, List.of(one(this.informing)))).isTrue();
		assertThat(call.entries()).isEmpty();
		assertThat(this.informing.count(RateLimitOutcome.EXCEEDED)).isEqualTo(1);
		assertThat(this.info.isExceeded()).isTrue();
	}

	@Test
	void aLocationThatCallsAgainIsAskedAgain() {
		for (int i = 0; i < 5; i++) {
			Acquisition call = this.request.call("method");
			assertThat(take(call, List.of(one(this.informing)))).isTrue();
			this.request.add(call.entries());
		}
		assertThat(this.informing.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
		assertThat(this.informing.count(RateLimitOutcome.EXCEEDED)).isEqualTo(3);
		assertThat(this.info.isExceeded()).isTrue();
	}

	@Test
	void ofSeveralKeysTheOneThatExceedsCounts() {
		StoreRateLimiter limiter = informing("limiter", 5);
		assertThat(takeElsewhere(of(limiter, "one", 2), of(limiter, "other", 4))).isTrue();
		assertThat(take(of(limiter, "one", 5), of(limiter, "other", 1))).isTrue();
		assertThat(this.info.isExceeded("limiter")).isTrue();
		assertThat(this.info.decision("limiter")).isNotNull().returns(3L, RateLimitDecision::remaining);
	}

	@Test
	void whatExceedsIsChargedNothing() {
		this.mode = RateLimitMode.INFORM;
		PermitRequest first = charged("charged", "8", "10");
		takeElsewhere(first);
		PermitRequest second = charged("charged", "3", "5");
		assertThat(take(second)).isTrue();
		settle();
		assertThat(this.request.entries().get(0).decision().exceeded()).isTrue();
		assertThat(remaining(second)).isEqualTo(2);
		assertThat(second.limiter().settlements(RateLimitSettlement.CHARGED)).isZero();
	}

	@Test
	void whatDoesNotExceedIsCharged() {
		this.mode = RateLimitMode.INFORM;
		PermitRequest charged = charged("charged", "3", "5");
		assertThat(take(charged)).isTrue();
		settle();
		assertThat(remaining(charged)).isEqualTo(5);
		assertThat(charged.limiter().settlements(RateLimitSettlement.CHARGED)).isEqualTo(1);
	}

	@Test
	void aCallInCodePassesAndAsks() {
		assertThat(this.informing.decide("key", 2).exceeded()).isFalse();
		RateLimitDecision exceeded = this.informing.decideWithoutDelay("key", 1);
		assertThat(exceeded.allowed()).isTrue();
		assertThat(exceeded.exceeded()).isTrue();
		this.informing.refund("key", 1, exceeded);
		this.informing.settle("key", 1, 0, exceeded);
		this.informing.settle("key", 1, 9, exceeded);
		assertThat(this.informing.peek("key").remaining()).isZero();
		assertThat(this.informing.count(RateLimitOutcome.RETURNED)).isZero();
	}

	@Test
	void ofSeveralLimitsEachSaysWhatItHasLeft() {
		StoreRateLimiter several = this.registry.register(informing("several").limit(window(1))
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, MINUTE))
			.build());
		several.decide("key", 1);
		RateLimitDecision exceeded = several.decide("key", 1);
		assertThat(exceeded.exceeded()).isTrue();
		assertThat(exceeded.remaining()).isZero();
		assertThat(exceeded.limits()).extracting("allowed").containsExactly(false, true);
		assertThat(exceeded.limits()).extracting("remaining").containsExactly(0L, 4L);
	}

	@Test
	void aStoreThatCannotDecideIsCountedAsThat() {
		this.registry = registry(new WrappedStore(this.local, (decider) -> new ForwardingDecider(decider) {

			@Override
			public RateLimitDecision decide(String key, long permits) {
				return RateLimitDecisions.unavailable(0, 1);
			}

		}));
		StoreRateLimiter unavailable = informing("unavailable", 1);
		assertThat(take(one(unavailable))).isTrue();
		assertThat(this.request.entries().get(0).decision().exceeded()).isTrue();
		assertThat(unavailable.count(RateLimitOutcome.UNAVAILABLE)).isEqualTo(1);
		assertThat(unavailable.count(RateLimitOutcome.EXCEEDED)).isZero();
	}

	@Test
	void listenersAreToldOfEachOutcome() {
		List<String> told = new ArrayList<>();
		RateLimitListener listener = (policy, key, decision, outcome) -> told.add(outcome + " " + decision.allowed());
		this.registry = registry(store(), listener);
		StoreRateLimiter limiter = informing("told", 1);
		takeElsewhere(one(limiter));
		takeElsewhere(one(limiter));
		assertThat(told).containsExactly("ALLOWED true", "EXCEEDED true");
	}

	@Test
	void anOverrideMayLetAPolicyInformForAWhile() {
		this.registry = registry(this.local);
		StoreRateLimiter limiter = bucket("limiter", 1);
		limiter.decide("key", 1);
		this.registry.overrides().put(RateLimitOverride.of("limiter").mode(RateLimitMode.INFORM).build());
		assertThat(take(one(limiter))).isTrue();
		assertThat(limiter.countInformed(RateLimitOutcome.EXCEEDED)).isEqualTo(1);
		this.registry.overrides().remove(new RateLimitOverride.Target("limiter", null, null));
		assertThat(takeElsewhere(one(limiter))).isFalse();
		assertThat(limiter.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		assertThat(limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
	}

	@Test
	void shadowLimitsAreTriedBesideIt() {
		StoreRateLimiter both = this.registry
			.register(informing("both").limit(window(1)).shadowLimits(List.of(window(2))).build());
		for (int i = 0; i < 3; i++) {
			takeElsewhere(one(both));
		}
		assertThat(both.count(RateLimitOutcome.EXCEEDED)).isEqualTo(2);
		assertThat(both.shadow()).isNotNull().satisfies((shadow) -> {
			assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
			assertThat(shadow.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
		});
	}

	@Test
	void ofWhatIsDecidedOnCallsTheInnermostCounts() throws Throwable {
		StoreRateLimiter other = informing("other", 1);
		takeElsewhere(of(this.informing, "key", 2), one(other));
		Acquisition outer = new Acquisition(this.request.room);
		Acquisition inner = new Acquisition(this.request.room);
		assertThat(take(outer, List.of(one(this.informing), one(other)))).isTrue();
		assertThat(take(inner, List.of(of(this.informing, "another", 1)))).isTrue();
		LimitedRequest none = LimitedRequest.ofSeparateCalls(null, this.request.room);
		RateLimitInfo current = new DecidedLimits(() -> CurrentCalls.decided(none), this.registry);
		Object returned = CurrentCalls.make(outer.entries(), () -> {
			List<String> outside = current.exceeded();
			Object inside = CurrentCalls.make(inner.entries(), current::exceeded);
			return List.of(outside, inside, current.exceeded());
		});
		assertThat(returned)
			.isEqualTo(List.of(List.of("informing", "other"), List.of("other"), List.of("informing", "other")));
		assertThatIllegalStateException().isThrownBy(current::isExceeded).withMessageContaining("@RateLimited");
	}

	@Test
	void whatWouldHaveNoEffectIsInvalid() {
		RateLimitPolicy.Builder banning = informing("banning").limit(window(1)).ban(new RateLimitBan(3));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(banning::build)
			.withMessageContaining("has no effect in the mode inform, which rejects nobody");
		RateLimit queue = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET).limit(1).window(MINUTE).burst(5L).build();
		RateLimitPolicy.Builder waiting = informing("waiting").limit(queue);
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(waiting::build)
			.withMessage("mode = inform cannot be used with a leaky bucket that makes requests wait");
		RateLimitPolicy.Builder planned = informing("planned").limit(window(1))
			.plans(Map.of("pro", RateLimitPlan.of(List.of(queue))));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(planned::build)
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("mode"));
		StoreRateLimiter enforced = this.registry.register(RateLimitPolicy.of("enforced", queue));
		RateLimitOverride override = RateLimitOverride.of("enforced").mode(RateLimitMode.INFORM).build();
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.registry.overrides().put(override));
		assertThat(enforced.hasInformed()).isFalse();
	}

}
