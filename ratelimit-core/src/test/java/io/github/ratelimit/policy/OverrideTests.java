package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.AdditionalAnswers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;

/**
 * Overrides of one instance.
 */
@ExtendWith(OutputCaptureExtension.class)
class OverrideTests extends LocalPolicies {

	private static final int MAXIMUM = 3;

	private static final RateLimitOverride.Target ALL = target(null);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			PlanSettings.of(null, this.clock), MAXIMUM, (policy) -> null);

	private final RateLimitOverrides overrides = this.registry.overrides();

	private final StoreRateLimiter limiter = this.registry
		.register(RateLimitPolicy.builder("api").key("'all'").limit(window(100)).build());

	private static RateLimitOverride.Target target(String key) {
		return new RateLimitOverride.Target("api", null, key);
	}

	private static RateLimitOverride.Builder override(long limit) {
		return RateLimitOverride.of("api").limit(window(limit));
	}

	private EffectivePolicy put(RateLimitOverride.Builder override, String key) {
		this.overrides.put(override.build());
		return this.limiter.effectivePolicy(key);
	}

	private static void assertRefused(Reason reason, Runnable change) {
		assertThatExceptionOfType(RateLimitOverrideException.class).isThrownBy(change::run)
			.returns(reason, RateLimitOverrideException::reason);
	}

	@Test
	void overrideEndsAtTheInstantAndNotBefore() {
		this.clock.advance(Duration.ofHours(12));
		RateLimitOverrides.InForce inForce = this.overrides
			.put(override(10).duration(Duration.ofHours(2)).reason("bad night").who("me").build());
		assertThat(Duration.between(inForce.since(), inForce.until())).isEqualTo(Duration.ofHours(2));
		this.clock.advanceNanos(Duration.ofHours(2).toNanos() - 1);
		assertThat(capacity(this.limiter, "k")).isEqualTo(10);
		assertThat(this.overrides.inForce()).containsExactly(inForce);
		assertThat(this.overrides.find(ALL)).isEqualTo(inForce);
		this.clock.advanceNanos(1);
		assertThat(capacity(this.limiter, "k")).isEqualTo(100);
		assertThat(this.overrides.inForce()).isEmpty();
		assertThat(this.overrides.find(ALL)).isNull();
		assertThat(this.overrides.remove(ALL)).isNull();
	}

	@Test
	void overrideOfAKeyEndsThoughThePolicysGoesOn() {
		this.overrides.put(override(10).key("k").duration(Duration.ofMinutes(1)).build());
		this.overrides.put(override(20).build());
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(capacity(this.limiter, "k")).isEqualTo(20);
	}

	@Test
	void resetIsThatOfTheDefinedNumbersTooWhereTheStoreKeepsThemApart() {
		RateLimitStore apart = mock(RateLimitStore.class);
		given(apart.open(any())).willAnswer((call) -> {
			PolicyDecider states = mock(PolicyDecider.class,
					AdditionalAnswers.delegatesTo(this.store.open(call.getArgument(0, RateLimitPolicy.class))));
			willReturn(null).given(states).under(any());
			return states;
		});
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(apart, List.of());
		StoreRateLimiter limiter = registry.register(RateLimitPolicy.of("apart", window(100)));
		limiter.decide("k", 3);
		RateLimitOverride override = RateLimitOverride.of("apart").key("k").limit(window(10)).build();
		registry.overrides().put(override);
		limiter.decide("k", 5);
		limiter.reset("k");
		assertThat(limiter.peek("k").remaining()).isEqualTo(10);
		registry.overrides().remove(override.target());
		assertThat(limiter.peek("k").remaining()).isEqualTo(100);
	}

	@Test
	void sameNumbersAreOneVersionAsLongAsThereIsAnOverrideOfThem() {
		assertThat(put(override(100), "k")).isSameAs(this.limiter.effectivePolicies.defined());
		EffectivePolicy ten = put(override(10).key("a"), "a");
		assertThat(put(override(10).key("b"), "b")).isSameAs(ten);
		this.overrides.remove(target("a"));
		this.overrides.remove(target("b"));
		EffectivePolicy replaced = put(override(10).key("a"), "a");
		assertThat(replaced).isNotSameAs(ten);
		this.overrides.put(override(20).key("a").build());
		EffectivePolicy ended = put(override(10).key("a").duration(Duration.ofMinutes(1)), "a");
		assertThat(ended).isNotSameAs(replaced);
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(put(override(10).key("a"), "a")).isNotSameAs(ended);
	}

	@Test
	void shadowBeginsToCountWithTheOverrideAndObserversLearnOfIt() {
		List<RateLimiter> observed = new ArrayList<>();
		this.registry.observe(observed::add);
		assertThat(this.limiter.decide("k", 100).allowed()).isTrue();
		this.overrides.put(override(1).mode(RateLimitMode.SHADOW).build());
		assertThat(observed).containsExactly(this.limiter, this.limiter);
		for (int i = 0; i < 3; i++) {
			assertThat(this.limiter.decide("fresh", 1).allowed()).isTrue();
		}
		RateLimitShadow shadow = shadow(this.limiter);
		assertThat(shadow.policy().limits()).containsExactly(window(1));
		assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isOne();
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
		this.overrides.put(override(2).mode(RateLimitMode.SHADOW).build());
		this.limiter.decide("other", 1);
		assertThat(this.limiter.shadow()).isSameAs(shadow);
		assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
		this.overrides.remove(ALL);
		assertThat(this.limiter.decide("k", 1).allowed()).isFalse();
		assertThat(this.limiter.count(RateLimitOutcome.ALLOWED)).isOne();
		assertThat(this.limiter.count(RateLimitOutcome.REJECTED)).isOne();
		assertThat(observed).hasSize(2);
	}

	@Test
	void shadowLimitsAreTriedOnThoseWhomAnOverrideConcernsToo() {
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(window(100)).shadowLimits(List.of(window(2))).build());
		this.overrides.put(RateLimitOverride.of("tried").limit(window(50)).build());
		assertThat(tried.decide("k", 3).remaining()).isEqualTo(47);
		assertThat(shadow(tried).count(RateLimitOutcome.REJECTED)).isOne();
	}

	@Test
	void resetIsThatOfTheShadowLimitsTooWhichAnOverrideInShadowDoesNotTry() {
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(window(100)).shadowLimits(List.of(window(2))).build());
		tried.decide("k", 2);
		RateLimitOverride override = RateLimitOverride.of("tried").mode(RateLimitMode.SHADOW).build();
		this.overrides.put(override);
		tried.reset("k");
		this.overrides.remove(override.target());
		tried.decide("k", 2);
		assertThat(shadow(tried).count(RateLimitOutcome.REJECTED)).isZero();
	}

	@Test
	void lastOneWinsUnlessItSaysWhichVersionItReplaces() {
		long first = this.overrides.put(override(10).build()).version();
		long second = this.overrides.put(override(20).build()).version();
		assertThat(second).isGreaterThan(first);
		assertRefused(Reason.CONFLICT, () -> this.overrides.put(override(30).build(), first));
		assertRefused(Reason.CONFLICT, () -> this.overrides.put(override(30).build(), 0));
		assertRefused(Reason.CONFLICT, () -> this.overrides.remove(ALL, first, null));
		assertRefused(Reason.CONFLICT, () -> this.overrides.put(override(30).key("k").build(), second));
		assertThat(capacity(this.limiter, "k")).isEqualTo(20);
		this.overrides.put(override(30).build(), second);
		assertThat(capacity(this.limiter, "k")).isEqualTo(30);
	}

	@Test
	void keysAreBoundedAndOverridesThatHaveEndedMakeRoom() {
		for (int i = 0; i < MAXIMUM; i++) {
			this.overrides.put(override(10).key("k" + i).duration(Duration.ofMinutes(1 + i)).build());
		}
		assertRefused(Reason.FULL, () -> this.overrides.put(override(10).key("more").build()));
		this.overrides.put(override(20).key("k0").duration(Duration.ofMinutes(1)).build());
		this.overrides.put(override(20).build());
		this.clock.advance(Duration.ofMinutes(1));
		this.overrides.put(override(10).key("more").build());
		assertRefused(Reason.FULL, () -> this.overrides.put(override(10).key("k0").build()));
	}

	@Test
	void whatCannotBeEnforcedChangesNothing() {
		this.registry.addOverrideCheck((policy) -> {
			if (policy.capacity() > 50) {
				throw new InvalidRateLimitException("limits", policy.capacity(), "is too much here", "Use less.");
			}
		});
		this.overrides.put(override(10).build());
		RateLimit huge = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 100_000_000, Duration.ofDays(1));
		assertThat(invalid(RateLimitOverride.of("apu").limit(window(1))).action()).contains("Did you mean 'api'?");
		assertThat(invalid(override(5).limit(huge)).attribute()).startsWith("limits[1]");
		assertThat(invalid(override(51))).hasMessageContaining("is too much here");
		invalid(RateLimitOverride.of("api"));
		invalid(override(1).duration(Duration.ZERO));
		invalid(override(1).key("k").plan("pro"));
		assertRefused(Reason.UNKNOWN_PLAN, () -> this.overrides.put(override(1).plan("pro").build()));
		assertThat(capacity(this.limiter, "k")).isEqualTo(10);
		assertThat(this.overrides.inForce()).hasSize(1);
	}

	private InvalidRateLimitException invalid(RateLimitOverride.Builder override) {
		return catchThrowableOfType(InvalidRateLimitException.class, () -> this.overrides.put(override.build()));
	}

	@Test
	void observersAndTheLogAreToldWhatWasChangedIntoWhatAndByWhom(CapturedOutput output) {
		List<OverrideChange> changes = new ArrayList<>();
		this.registry.observeOverrides(changes::add);
		RateLimitOverrides.InForce first = this.overrides
			.put(override(10).who("me").reason("bad night").duration(Duration.ofHours(2)).build());
		RateLimitOverrides.InForce second = this.overrides.put(override(20).mode(RateLimitMode.SHADOW).build());
		this.overrides.remove(ALL, RateLimitOverrides.ANY_VERSION, "you");
		assertThat(changes).extracting(OverrideChange::inForce).containsExactly(first, second, second);
		assertThat(changes).extracting(OverrideChange::removed).containsExactly(false, false, true);
		assertThat(changes).extracting((each) -> each.before().capacity()).containsExactly(100L, 10L, 20L);
		assertThat(changes).extracting((each) -> each.after().capacity()).containsExactly(10L, 20L, 100L);
		assertThat(changes).extracting(OverrideChange::who).containsExactly("me", null, "you");
		assertThat(changes.get(0).subject()).isEqualTo("The rate limit policy 'api'");
		assertThat(output)
			.contains("The rate limit policy 'api' was overridden by 'me': "
					+ "[fixed-window-counter 10 per 1 min] in place of [fixed-window-counter 100 per 1 min], until ",
					", because: bad night")
			.contains("The rate limit policy 'api' was overridden: [fixed-window-counter 20 per 1 min] in shadow "
					+ "in place of [fixed-window-counter 10 per 1 min], until it is taken back")
			.contains("The rate limit policy 'api' was set back by 'you': "
					+ "[fixed-window-counter 100 per 1 min] in place of [fixed-window-counter 20 per 1 min] in shadow");
	}

	@Test
	void whatIsOverriddenIsReadFromItsName() {
		SharedOverrides.Entry written = new SharedOverrides.Entry(
				OverrideText.write(RateLimitOverride.of("api").mode(RateLimitMode.SHADOW).build(), Instant.EPOCH), 1,
				0);
		for (RateLimitOverride.Target target : List.of(ALL, target("192.0.2.1 /~+%"),
				new RateLimitOverride.Target("api", "pro ~", null))) {
			assertThat(OverrideText.read(OverrideText.name(target), written).override().target()).isEqualTo(target);
		}
		assertThat(OverrideText.name(target("k"))).isEqualTo("api ~ k");
		assertThatIllegalArgumentException().isThrownBy(() -> OverrideText.read("api other", written));
	}

	@Test
	void ofWhatAnybodyMayHaveWrittenOnlyThePolicyIsSaidOnceAndAHundredTimesAtMost(CapturedOutput output) {
		OverrideLog log = new OverrideLog();
		log.ignored("one ~ secret", "reason");
		log.ignored(" ~ secret", "reason");
		for (int i = 0; i < 300; i++) {
			log.ignored("policy" + i / 2, "reason");
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("is ignored by this instance"))).hasSize(100)
			.noneMatch((line) -> line.contains("secret"))
			.first()
			.asString()
			.contains("policy 'one' is ignored by this instance: reason. This is logged once");
		assertThat(output).contains("policy ''").contains("'policy97'").doesNotContain("'policy98'");
	}

}
