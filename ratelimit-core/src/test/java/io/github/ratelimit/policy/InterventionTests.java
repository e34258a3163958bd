package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Bans, exemptions and denials by hand, in one instance.
 */
@ExtendWith(OutputCaptureExtension.class)
class InterventionTests extends LocalPolicies {

	private static final int MAXIMUM = 3;

	private static final Duration HOUR = Duration.ofHours(1);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			PlanSettings.of(null, this.clock), MAXIMUM, (policy) -> null);

	private final RateLimitInterventions interventions = this.registry.interventions();

	private final StoreRateLimiter limiter = this.registry.register(RateLimitPolicy.of("api", window(2)));

	private RateLimitInterventions.InForce ban(String key) {
		return this.interventions.put(RateLimitIntervention.ban("api", key, HOUR, null));
	}

	private RateLimitInterventions.InForce put(Kind kind, String key) {
		return this.interventions.put(new RateLimitIntervention(target(kind, key), null, null, null));
	}

	private static Target target(Kind kind, String key) {
		return Target.ofKey(kind, "api", key);
	}

	private void assertMistake(Runnable change, String text, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(change::run)
			.withMessageContaining(text)
			.satisfies((ex) -> assertThat(ex.action()).contains(action));
	}

	@Test
	void aBanRejectsAsABanOfThePolicyDoesUntilItsEndAndNotAfterwards() {
		RateLimitInterventions.InForce ban = ban("ada");
		assertThat(Duration.between(ban.since(), ban.until())).isEqualTo(HOUR);
		RateLimitDecision decision = this.limiter.decide("ada", 1);
		assertThat(decision.outcome()).isEqualTo(RateLimitOutcome.BANNED);
		assertThat(decision.retryAfter()).isEqualTo(HOUR);
		assertThat(this.limiter.decide("bob", 1).allowed()).isTrue();
		this.clock.advance(HOUR.minusNanos(1));
		assertThat(this.limiter.decide("ada", 1).retryAfterNanos()).isEqualTo(1);
		this.clock.advanceNanos(1);
		assertThat(this.limiter.decide("ada", 1).allowed()).isTrue();
		assertThat(this.interventions.inForce()).isEmpty();
		assertThat(this.limiter.count(RateLimitOutcome.BANNED)).isEqualTo(2);
	}

	@Test
	void aBannedKeyIsSeenToBeBannedAndItsStateIsNotTouched() {
		this.limiter.decide("ada", 1);
		ban("ada");
		assertThat(this.limiter.peek("ada").banned()).isTrue();
		assertThat(this.limiter.peek("ada").remaining()).isZero();
		this.limiter.decide("ada", 1);
		assertThat(this.interventions.remove(target(Kind.BAN, "ada"))).isNotNull();
		assertThat(this.limiter.peek("ada").banned()).isFalse();
		assertThat(this.limiter.peek("ada").remaining()).isEqualTo(1);
		assertThat(this.interventions.remove(target(Kind.BAN, "ada"))).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void aBanRejectsWhateverTheModeOfThePolicyIs(RateLimitMode mode) {
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(window(2)).mode(mode).build());
		this.interventions.put(RateLimitIntervention.ban("tried", "ada", HOUR, null));
		assertThat(tried.decide("ada", 1).outcome()).isEqualTo(RateLimitOutcome.BANNED);
		assertThat(tried.countEnforced(RateLimitOutcome.BANNED)).isEqualTo(1);
		assertThat(tried.decide("bob", 1).allowed()).isTrue();
	}

	@Test
	void aBanRejectsWhateverThePlanOfTheKeyIsAndNobodyAsksForIt() {
		AtomicInteger asked = new AtomicInteger();
		StoreRateLimiterRegistry planned = planned((policy, key) -> {
			asked.incrementAndGet();
			return "free";
		});
		StoreRateLimiter limiter = planned.register(RateLimitPolicy.builder("api")
			.limit(window(2))
			.plans(Map.of("free", RateLimitPlan.unlimited()))
			.build());
		planned.interventions().put(RateLimitIntervention.ban("api", "ada", HOUR, null));
		assertThat(limiter.asksForPlan("ada")).isFalse();
		assertThat(limiter.decide("ada", 1).outcome()).isEqualTo(RateLimitOutcome.BANNED);
		assertThat(asked).hasValue(0);
	}

	@Test
	void aKeyMayHaveABanAndAnOverrideAtOnceAndEndingOneLeavesTheOther() {
		RateLimitOverride override = RateLimitOverride.of("api").key("ada").limit(window(50)).build();
		this.registry.overrides().put(override);
		ban("ada");
		assertThat(this.limiter.decide("ada", 1).outcome()).isEqualTo(RateLimitOutcome.BANNED);
		assertThat(this.registry.overrides().find(override.target())).isNotNull();
		this.interventions.remove(target(Kind.BAN, "ada"));
		assertThat(this.limiter.decide("ada", 1).remaining()).isEqualTo(49);
		ban("ada");
		this.registry.overrides().remove(override.target());
		assertThat(this.limiter.decide("ada", 1).outcome()).isEqualTo(RateLimitOutcome.BANNED);
	}

	@Test
	void aResetLeavesABanAndClearsWhatIsBehindIt() {
		this.limiter.decide("ada", 2);
		ban("ada");
		this.limiter.reset("ada");
		assertThat(this.limiter.decide("ada", 1).outcome()).isEqualTo(RateLimitOutcome.BANNED);
		this.interventions.remove(target(Kind.BAN, "ada"));
		assertThat(this.limiter.peek("ada").remaining()).isEqualTo(2);
	}

	@Test
	void whatWasGivenBeforeABanIsRefunded() {
		RateLimitDecision given = this.limiter.decide("ada", 2);
		ban("ada");
		this.limiter.refund("ada", 2, given);
		this.interventions.remove(target(Kind.BAN, "ada"));
		assertThat(this.limiter.peek("ada").remaining()).isEqualTo(2);
	}

	@Test
	void aBanIsOfThePolicyAsItIsDefinedNow() {
		ban("ada");
		this.registry.change(RateLimitPolicy.of("api", window(70))).make();
		assertThat(this.limiter.decide("ada", 1).outcome()).isEqualTo(RateLimitOutcome.BANNED);
		assertThat(this.limiter.effectivePolicy("ada").policy().capacity()).isEqualTo(70);
	}

	@Test
	void aBanThatIsGivenAgainIsReplaced() {
		ban("ada");
		this.interventions.put(RateLimitIntervention.ban("api", "ada", HOUR.multipliedBy(3), "more"));
		assertThat(this.interventions.inForce()).singleElement()
			.satisfies((each) -> assertThat(each.intervention().reason()).isEqualTo("more"));
		assertThat(this.limiter.decide("ada", 1).retryAfter()).isEqualTo(HOUR.multipliedBy(3));
	}

	@Test
	void anExemptKeyPassesWithoutBeingCountedAgainstThePolicy() {
		this.limiter.decide("ada", 2);
		put(Kind.EXEMPT, "ada");
		for (int i = 0; i < 5; i++) {
			assertThat(this.limiter.decide("ada", 1).allowed()).isTrue();
		}
		assertThat(this.limiter.effectivePolicy("ada").isUnlimited()).isTrue();
		assertThat(this.limiter.intervened(Kind.EXEMPT)).isEqualTo(5);
		assertThat(this.interventions.requests(Kind.EXEMPT)).isEqualTo(5);
		assertThat(this.limiter.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		this.interventions.remove(target(Kind.EXEMPT, "ada"));
		assertThat(this.limiter.decide("ada", 1).outcome()).isEqualTo(RateLimitOutcome.REJECTED);
	}

	@Test
	void whatAnExemptKeyWasGivenIsNeverRefundedToIt() {
		this.limiter.decide("ada", 2);
		put(Kind.EXEMPT, "ada");
		RateLimitDecision given = this.limiter.decide("ada", 2);
		this.interventions.remove(target(Kind.EXEMPT, "ada"));
		this.limiter.refund("ada", 2, given);
		assertThat(this.limiter.peek("ada").remaining()).isZero();
	}

	@Test
	void whatAnExemptKeyUsedIsNeverChargedToIt() {
		StoreRateLimiter charged = this.registry
			.register(RateLimitPolicy.builder("charged").limit(window(10)).charge("result").build());
		Target exemption = Target.ofKey(Kind.EXEMPT, "charged", "ada");
		this.interventions.put(new RateLimitIntervention(exemption, null, null, null));
		RateLimitDecision given = charged.decide("ada", 1);
		this.interventions.remove(exemption);
		charged.settle("ada", 1, 8, given);
		assertThat(charged.peek("ada").remaining()).isEqualTo(10);
	}

	@ParameterizedTest
	@EnumSource(names = { "BAN", "DENY" })
	void aRefusedKeyHasTheLimitsThatItWouldHaveOtherwise(Kind kind) {
		this.registry.overrides().put(RateLimitOverride.of("api").key("ada").limit(window(50)).build());
		Duration duration = (kind == Kind.BAN) ? HOUR : null;
		this.interventions.put(new RateLimitIntervention(target(kind, "ada"), duration, null, null));
		assertThat(this.limiter.limitsFor("ada")).containsExactly(window(50));
	}

	@Test
	void aDeniedKeyIsRejectedForGood() {
		put(Kind.DENY, "ada");
		RateLimitDecision decision = this.limiter.decide("ada", 1);
		assertThat(decision.allowed()).isFalse();
		assertThat(decision.denied()).isTrue();
		assertThat(decision.banned()).isFalse();
		assertThat(decision.retryAfter()).isNull();
		assertThat(this.limiter.peek("ada").remaining()).isZero();
		assertThat(this.limiter.intervened(Kind.DENY)).isEqualTo(1);
		assertThat(this.limiter.count(RateLimitOutcome.REJECTED)).isZero();
	}

	@Test
	void denyPrecedesExemptAndThatABanAndThatAnOverride() {
		this.registry.overrides().put(RateLimitOverride.of("api").key("ada").limit(window(50)).build());
		ban("ada");
		put(Kind.EXEMPT, "ada");
		put(Kind.DENY, "ada");
		assertThat(this.limiter.decide("ada", 1).denied()).isTrue();
		this.interventions.remove(target(Kind.DENY, "ada"));
		assertThat(this.limiter.decide("ada", 1).allowed()).isTrue();
		assertThat(this.limiter.effectivePolicy("ada").isUnlimited()).isTrue();
		this.interventions.remove(target(Kind.EXEMPT, "ada"));
		assertThat(this.limiter.decide("ada", 1).banned()).isTrue();
		this.interventions.remove(target(Kind.BAN, "ada"));
		assertThat(this.limiter.decide("ada", 1).remaining()).isEqualTo(49);
	}

	@Test
	void whenAnEarlierOneEndsTheNextOneCounts() {
		ban("ada");
		this.interventions.put(new RateLimitIntervention(target(Kind.DENY, "ada"), HOUR.dividedBy(2), null, null));
		assertThat(this.limiter.decide("ada", 1).denied()).isTrue();
		this.clock.advance(HOUR.dividedBy(2));
		assertThat(this.limiter.decide("ada", 1).retryAfter()).isEqualTo(HOUR.dividedBy(2));
	}

	@Test
	void thereAreNoMoreThanTheMaximumAndTheyAreNoOverrides() {
		this.registry.overrides().put(RateLimitOverride.of("api").key("x").limit(window(50)).build());
		ban("one");
		put(Kind.DENY, "two");
		put(Kind.EXEMPT, "three");
		assertThatExceptionOfType(RateLimitOverrideException.class).isThrownBy(() -> ban("four"))
			.returns(RateLimitOverrideException.Reason.FULL, RateLimitOverrideException::reason)
			.withMessageContaining("ratelimit.overrides.maximum-size");
		ban("one");
		this.registry.overrides().put(RateLimitOverride.of("api").key("y").limit(window(50)).build());
		this.clock.advance(HOUR);
		ban("four");
	}

	@Test
	void overridesOfKeysHaveNoMoreRoomThanTheirOwnWhileKeysAreBanned() {
		ban("one");
		ban("two");
		for (String key : List.of("a", "b", "c")) {
			this.registry.overrides().put(RateLimitOverride.of("api").key(key).limit(window(50)).build());
		}

		assertThatExceptionOfType(RateLimitOverrideException.class)
			.isThrownBy(
					() -> this.registry.overrides().put(RateLimitOverride.of("api").key("d").limit(window(50)).build()))
			.returns(RateLimitOverrideException.Reason.FULL, RateLimitOverrideException::reason);
	}

	@Test
	void nothingIsLeftOnTheWayOnceAllHasEnded() {
		EffectivePolicy defined = this.limiter.effectivePolicy("ada");
		ban("ada");
		assertThat(this.limiter.effectivePolicies.byHand("ada")).isNotNull();
		this.clock.advance(HOUR);
		this.registry.followOverrides();
		assertThat(this.limiter.effectivePolicies.byHand("ada")).isNull();
		assertThat(this.limiter.effectivePolicy("ada")).isSameAs(defined);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "P367D" })
	void aBanHasAnEndWithinItsBounds(Duration duration) {
		assertMistake(() -> RateLimitIntervention.ban("api", "ada", duration, null), "is out of range", "1ms to 366d");
		assertMistake(() -> put(Kind.BAN, "ada"), "is no end", "To keep it out for good, deny it.");
	}

	@Test
	void mistakesAreNamed() {
		assertMistake(() -> this.interventions.put(RateLimitIntervention.ban("apo", "ada", HOUR, null)),
				"no rate limit policy named 'apo'", "Did you mean 'api'?");
		assertMistake(() -> Target.ofAddress(Kind.BAN, "192.0.2.1"), "cannot be banned", "deny the address");
		assertMistake(() -> new Target(Kind.DENY, "api", null, null), "belong together", "policy and the key");
		assertMistake(() -> new Target(Kind.DENY, "api", "ada", "192.0.2.1"), "stands beside a key", "Give either");
		assertMistake(() -> target(Kind.BAN, ""), "is empty", "1 to 1024");
		assertMistake(() -> RateLimitIntervention.ban("api", "ada", HOUR, "x".repeat(501)), "is too long", "500");
		Target address = Target.ofAddress(Kind.DENY, "192.0.2.1");
		assertMistake(() -> this.interventions.put(new RateLimitIntervention(address, null, null, null)),
				"nothing here serves requests over HTTP", "key of a policy");
	}

	@Test
	void whatIsConfiguredIsInForceAndNotTakenBack() {
		this.registry
			.configureInterventions(List.of(new RateLimitIntervention(target(Kind.DENY, "ada"), null, null, null)));
		assertThat(this.limiter.decide("ada", 1).denied()).isTrue();
		assertThat(this.interventions.inForce()).singleElement()
			.returns(true, RateLimitInterventions.InForce::configured);
		assertMistake(() -> this.interventions.remove(target(Kind.DENY, "ada")), "is configured", "ratelimit.deny");
		put(Kind.DENY, "ada");
		this.interventions.remove(target(Kind.DENY, "ada"));
		assertThat(this.limiter.decide("ada", 1).denied()).isTrue();
	}

	@Test
	void changesAreLoggedAndReportedWithoutTheKey(CapturedOutput output) {
		List<InterventionChange> changes = new ArrayList<>();
		this.registry.observeInterventions(changes::add);
		this.interventions
			.put(new RateLimitIntervention(target(Kind.BAN, "ada@example.org"), HOUR, "a \n reason", "eve"));
		this.interventions.remove(target(Kind.BAN, "ada@example.org"), "mallory");
		assertThat(changes).extracting(InterventionChange::ended).containsExactly(false, true);
		assertThat(changes).extracting(InterventionChange::who).containsExactly("eve", "mallory");
		assertThat(output).contains("Ban of the key with the hash ")
			.contains(" of the rate limit policy 'api' by 'eve', until ")
			.contains("because: a ? reason")
			.contains("Ended: Ban of the key with the hash ")
			.doesNotContain("ada@example.org");
	}

}
