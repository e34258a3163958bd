package io.github.ratelimit.policy;

import java.time.Duration;
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
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.AdditionalAnswers;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
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

	@AutoClose
	private final LocalRateLimitStore other = new LocalRateLimitStore(this.clock, 100);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			PlanSettings.of(null, this.clock), MAXIMUM, null);

	private final RateLimitOverrides overrides = this.registry.overrides();

	private StoreRateLimiter limiter;

	@BeforeEach
	void register() {
		this.limiter = this.registry.register(RateLimitPolicy.builder("api").key("'all'").limit(window(100)).build());
	}

	@Test
	void exactKeyComesBeforeThePolicy() {
		this.overrides.put(override(50).build());
		this.overrides.put(override(10).key("k").build());
		assertThat(capacity("k")).isEqualTo(10);
		assertThat(capacity("other")).isEqualTo(50);
		this.overrides.remove(target(null));
		assertThat(capacity("k")).isEqualTo(10);
		assertThat(capacity("other")).isEqualTo(100);
	}

	@Test
	void overrideEndsAtTheInstantAndNotBefore() {
		this.clock.advance(Duration.ofHours(12));
		RateLimitOverrides.InForce inForce = this.overrides
			.put(override(10).duration(Duration.ofHours(2)).reason("bad night").who("me").build());
		assertThat(Duration.between(inForce.since(), inForce.until())).isEqualTo(Duration.ofHours(2));
		assertThat(capacity("k")).isEqualTo(10);
		this.clock.advanceNanos(Duration.ofHours(2).toNanos() - 1);
		assertThat(capacity("k")).isEqualTo(10);
		assertThat(this.overrides.inForce()).containsExactly(inForce);
		this.clock.advanceNanos(1);
		assertThat(capacity("k")).isEqualTo(100);
		assertThat(this.overrides.inForce()).isEmpty();
		assertThat(this.overrides.find(target(null))).isNull();
	}

	@Test
	void overrideOfAKeyEndsThoughThePolicysGoesOn() {
		this.overrides.put(override(10).key("k").duration(Duration.ofMinutes(1)).build());
		this.overrides.put(override(20).build());
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(capacity("k")).isEqualTo(20);
	}

	@Test
	void whatWasTakenUnderTheDefinedNumbersIsThereWhenTheOverrideHasEnded() {
		this.clock.advance(Duration.ofSeconds(10));
		this.limiter.decide("k", 30);
		this.overrides.put(override(10).duration(Duration.ofSeconds(20)).build());
		this.clock.advance(Duration.ofSeconds(20));
		assertThat(this.limiter.peek("k").remaining()).isEqualTo(70);
	}

	@Test
	void resetIsThatOfTheDefinedNumbersTooWhereTheStoreKeepsThemApart() {
		RateLimitStore apart = mock(RateLimitStore.class);
		given(apart.open(any())).willAnswer((call) -> {
			PolicyDecider states = mock(PolicyDecider.class,
					AdditionalAnswers.delegatesTo(this.other.open(call.getArgument(0, RateLimitPolicy.class))));
			willReturn(null).given(states).under(any());
			return states;
		});
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(apart, List.of());
		StoreRateLimiter limiter = registry.register(RateLimitPolicy.of("api", window(100)));
		limiter.decide("k", 3);
		registry.overrides().put(override(10).key("k").build());
		limiter.decide("k", 5);
		limiter.reset("k");
		assertThat(limiter.peek("k").remaining()).isEqualTo(10);
		registry.overrides().remove(target("k"));
		assertThat(limiter.peek("k").remaining()).isEqualTo(100);
	}

	@Test
	void constantQuestionFollowsTheVersionAndIsTheSameOtherwise() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		PolicyBinding binding = new PolicyBinder(beans, PolicyBinder.defaultKey("clientAddress", beans))
			.bindRule(this.limiter, "/path", "ratelimit.rules[0]", null, null, null);
		PermitRequest defined = binding.constant();
		assertThat(binding.constant()).isSameAs(defined);
		this.overrides.put(override(10).duration(Duration.ofMinutes(1)).build());
		PermitRequest overridden = binding.constant();
		assertThat(overridden.version().policy().limits()).containsExactly(window(10));
		assertThat(binding.constant()).isSameAs(overridden);
		assertThat(defined.version().policy().limits()).containsExactly(window(100));
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(binding.constant()).isEqualTo(defined);
	}

	@Test
	void ownNumbersAreTheDefinedVersion() {
		this.overrides.put(override(100).build());
		assertThat(this.limiter.version("k")).isSameAs(this.limiter.versions.defined);
	}

	@Test
	void keysWithTheSameNumbersShareAVersion() {
		this.overrides.put(override(10).key("a").build());
		this.overrides.put(override(10).key("b").build());
		assertThat(this.limiter.version("a")).isSameAs(this.limiter.version("b"));
	}

	@Test
	void shadowBeginsToCountWithTheOverrideAndObserversLearnOfIt() {
		List<RateLimiter> observed = new ArrayList<>();
		this.registry.observe(observed::add);
		assertThat(this.limiter.decide("k", 100).allowed()).isTrue();
		assertThat(this.limiter.decide("k", 1).allowed()).isFalse();
		this.overrides.put(override(1).mode(RateLimitMode.SHADOW).build());
		assertThat(observed).containsExactly(this.limiter, this.limiter);
		for (int i = 0; i < 3; i++) {
			assertThat(this.limiter.decide("fresh", 1).allowed()).isTrue();
		}
		RateLimitShadow shadow = this.limiter.shadow();
		assertThat(shadow).isNotNull();
		assertThat(shadow.policy().limits()).containsExactly(window(1));
		assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isOne();
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
		this.overrides.put(override(2).mode(RateLimitMode.SHADOW).build());
		this.limiter.decide("other", 1);
		assertThat(this.limiter.shadow()).isSameAs(shadow);
		assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
		this.overrides.remove(target(null));
		assertThat(this.limiter.decide("k", 1).allowed()).isFalse();
		assertThat(this.limiter.count(RateLimitOutcome.ALLOWED)).isOne();
		assertThat(this.limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
		assertThat(observed).hasSize(2);
	}

	@Test
	void shadowLimitsAreTriedOnThoseWhomAnOverrideConcernsToo() {
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(window(100)).shadowLimits(List.of(window(2))).build());
		this.overrides.put(RateLimitOverride.of("tried").limit(window(50)).build());
		RateLimitShadow shadow = tried.shadow();
		assertThat(shadow).isNotNull();
		assertThat(tried.decide("k", 3).remaining()).isEqualTo(47);
		assertThat(shadow.count(RateLimitOutcome.REJECTED)).isOne();
	}

	@Test
	void policyInShadowCanBeEnforcedAndBothAreCounted() {
		StoreRateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(window(1)).mode(RateLimitMode.SHADOW).build());
		tried.decide("k", 1);
		tried.decide("k", 1);
		assertThat(tried.count(RateLimitOutcome.REJECTED)).isOne();
		this.overrides.put(RateLimitOverride.of("tried").mode(RateLimitMode.ENFORCE).build());
		tried.decide("fresh", 1);
		assertThat(tried.decide("fresh", 1).allowed()).isFalse();
		assertThat(tried.decide("fresh", 1).allowed()).isFalse();
		assertThat(tried.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
		assertThat(tried.shadow().count(RateLimitOutcome.REJECTED)).isOne();
	}

	@Test
	void lastOneWinsUnlessItSaysWhichVersionItReplaces() {
		long first = this.overrides.put(override(10).build()).version();
		long second = this.overrides.put(override(20).build()).version();
		assertThat(second).isGreaterThan(first);
		assertRefused(Reason.CONFLICT, () -> this.overrides.put(override(30).build(), first));
		assertRefused(Reason.CONFLICT, () -> this.overrides.put(override(30).build(), 0));
		assertRefused(Reason.CONFLICT, () -> this.overrides.remove(target(null), first, null));
		assertRefused(Reason.CONFLICT, () -> this.overrides.put(override(30).key("k").build(), second));
		assertThat(capacity("k")).isEqualTo(20);
		this.overrides.put(override(30).build(), second);
		assertThat(capacity("k")).isEqualTo(30);
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
		this.overrides.put(override(10).build());
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.overrides.put(RateLimitOverride.of("apu").limit(window(1)).build()))
			.satisfies((ex) -> assertThat(ex.action()).contains("Did you mean 'api'?"));
		RateLimit huge = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 100_000_000, Duration.ofDays(1));
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.overrides.put(RateLimitOverride.of("api").limit(window(5)).limit(huge).build()))
			.satisfies((ex) -> assertThat(ex.attribute()).startsWith("limits[1]"));
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> RateLimitOverride.of("api").build());
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> override(1).duration(Duration.ZERO).build());
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> override(1).key("k").plan("pro").build());
		assertRefused(Reason.UNKNOWN_PLAN, () -> this.overrides.put(override(1).plan("pro").build()));
		assertThat(capacity("k")).isEqualTo(10);
		assertThat(this.overrides.inForce()).hasSize(1);
	}

	@Test
	void whatIsInForceIsFoundAndToldWhenItIsTakenBack() {
		RateLimitOverrides.InForce inForce = this.overrides.put(override(10).key("k").build());
		assertThat(this.overrides.find(target("k"))).isEqualTo(inForce);
		assertThat(this.overrides.find(target(null))).isNull();
		assertThat(this.overrides.remove(target("k"))).isEqualTo(inForce);
		assertThat(this.overrides.find(target("k"))).isNull();
	}

	@Test
	void whatHasEndedIsNeitherFoundNorTakenBack() {
		this.overrides.put(override(10).duration(Duration.ofMinutes(1)).build());
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(this.overrides.find(target(null))).isNull();
		this.overrides.put(override(10).duration(Duration.ofMinutes(1)).build());
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(this.overrides.remove(target(null))).isNull();
	}

	@Test
	void observersAreToldWhatWasChangedAndIntoWhat() {
		List<OverrideChange> changes = new ArrayList<>();
		this.registry.observeOverrides(changes::add);
		RateLimitOverrides.InForce first = this.overrides.put(override(10).who("me").build());
		RateLimitOverrides.InForce second = this.overrides.put(override(20).build());
		this.overrides.remove(target(null), RateLimitOverrides.ANY_VERSION, "you");
		assertThat(changes).extracting(OverrideChange::inForce).containsExactly(first, second, second);
		assertThat(changes).extracting(OverrideChange::removed).containsExactly(false, false, true);
		assertThat(changes).extracting((each) -> each.before().capacity()).containsExactly(100L, 10L, 20L);
		assertThat(changes).extracting((each) -> each.after().capacity()).containsExactly(10L, 20L, 100L);
		assertThat(changes).extracting(OverrideChange::who).containsExactly("me", null, "you");
		assertThat(changes.get(0).subject()).isEqualTo("The rate limit policy 'api'");
	}

	@Test
	void logSaysWhoChangedWhat(CapturedOutput output) {
		this.overrides.put(override(10).who("me").reason("bad night").duration(Duration.ofHours(2)).build());
		this.overrides.put(override(20).mode(RateLimitMode.SHADOW).build());
		this.overrides.remove(target(null), RateLimitOverrides.ANY_VERSION, "you");
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
	void numbersThatACheckRejectsChangeNothing() {
		this.registry.checkOverrides((policy) -> {
			if (policy.capacity() > 50) {
				throw new InvalidRateLimitException("limits", policy.capacity(), "is too much here", "Use less.");
			}
		});
		this.overrides.put(override(50).build());
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.overrides.put(override(51).build()))
			.withMessageContaining("is too much here");
		assertThat(capacity("k")).isEqualTo(50);
	}

	@Test
	void versionsAreForgottenThatNoOverrideMakes() {
		PolicyVersion replaced = versionOf(override(10).build());
		this.overrides.put(override(20).build());
		PolicyVersion removed = versionOf(override(10).build());
		assertThat(removed).isNotSameAs(replaced);
		this.overrides.remove(target(null));
		PolicyVersion ended = versionOf(override(10).duration(Duration.ofMinutes(1)).build());
		assertThat(ended).isNotSameAs(removed);
		this.clock.advance(Duration.ofMinutes(1));
		PolicyVersion last = versionOf(override(10).build());
		assertThat(last).isNotSameAs(ended);
		this.overrides.put(override(20).key("other").build());
		this.overrides.remove(target("other"));
		assertThat(versionOf(override(10).key("k").build())).isSameAs(last);
	}

	private PolicyVersion versionOf(RateLimitOverride override) {
		this.overrides.put(override);
		return this.limiter.version("k");
	}

	@Test
	void anotherDefinitionOfOnePolicyLeavesTheOverridesOfOthers() {
		StoreRateLimiter other = this.registry.register(RateLimitPolicy.of("other", window(100)));
		this.overrides.put(RateLimitOverride.of("other").key("a").limit(window(10)).build());
		this.overrides.put(override(70).build());
		this.registry.change(RateLimitPolicy.of("api", window(70))).make();
		assertThat(this.limiter.version("k")).isSameAs(this.limiter.versions.defined);
		this.overrides.put(RateLimitOverride.of("other").key("b").limit(window(10)).build());
		assertThat(other.version("a").policy().capacity()).isEqualTo(10);
		assertThat(other.version("b")).isSameAs(other.version("a"));
	}

	private static void assertRefused(Reason reason, Runnable change) {
		assertThatExceptionOfType(RateLimitOverrideException.class).isThrownBy(change::run)
			.returns(reason, RateLimitOverrideException::reason);
	}

	private long capacity(String key) {
		this.store.forgetAll();
		return this.limiter.decide(key, 1).remaining() + 1;
	}

	private static RateLimitOverride.Target target(String key) {
		return new RateLimitOverride.Target("api", null, key);
	}

	private static RateLimitOverride.Builder override(long limit) {
		return RateLimitOverride.of("api").limit(window(limit));
	}

}
