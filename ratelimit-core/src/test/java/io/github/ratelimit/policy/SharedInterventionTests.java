package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Bans, exemptions and denials by hand that instances of one application share.
 */
@ExtendWith(OutputCaptureExtension.class)
class SharedInterventionTests extends LocalPolicies {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final int MAXIMUM = 3;

	private static final Target BAN = Target.ofKey(Kind.BAN, "api", "a key % with ~ ! 💥");

	private final ManualClock serverClock = ManualClock.atMidnight();

	private final FakeSharedOverrides shared = new FakeSharedOverrides(this.serverClock);

	@AutoClose
	private final Instance one = new Instance(this.shared);

	@AutoClose
	private final Instance other = new Instance(this.shared);

	private static RateLimitIntervention hour(Target target) {
		return new RateLimitIntervention(target, HOUR, "why", "me");
	}

	private static void assertRefused(Reason reason, Runnable change) {
		assertThatExceptionOfType(RateLimitOverrideException.class).isThrownBy(change::run)
			.returns(reason, RateLimitOverrideException::reason);
	}

	@Test
	void theOthersFollowAtTheNextReadingAndEndItAtOnce() {
		this.one.registry.interventions().put(hour(BAN));
		assertThat(this.other.limiter.decide(BAN.key(), 1).allowed()).isTrue();
		this.other.registry.followOverrides();
		assertThat(this.other.limiter.decide(BAN.key(), 1).banned()).isTrue();
		assertThat(this.other.registry.interventions().find(BAN).intervention()).isEqualTo(hour(BAN));
		this.serverClock.advance(HOUR);
		this.one.registry.followOverrides();
		this.other.registry.followOverrides();
		assertThat(this.one.limiter.decide(BAN.key(), 1).allowed()).isTrue();
		assertThat(this.other.limiter.decide(BAN.key(), 1).allowed()).isTrue();
	}

	@Test
	void anInstanceThatStartsLaterReadsThem() {
		this.one.registry.interventions().put(hour(BAN));
		this.one.registry.overrides().put(RateLimitOverride.of("api").limit(window(50)).build());
		try (Instance late = new Instance(this.shared)) {
			late.registry.followOverrides();
			assertThat(late.limiter.decide(BAN.key(), 1).banned()).isTrue();
			assertThat(late.limiter.decide("other", 1).remaining()).isEqualTo(49);
		}
	}

	@Test
	void aPolicyThatIsDefinedLaterHasThoseThatWereReadAndLeavesWhatWasChangedSince() {
		Target later = Target.ofKey(Kind.BAN, "later", "key");
		this.other.registry.register(RateLimitPolicy.of("later", window(5)));
		this.other.registry.interventions().put(hour(later));
		this.one.registry.followOverrides();
		this.one.registry.interventions().put(hour(BAN));
		assertThat(this.one.registry.register(RateLimitPolicy.of("later", window(5))).decide("key", 1).banned())
			.isTrue();
		assertThat(this.one.limiter.decide(BAN.key(), 1).banned()).isTrue();
		this.one.registry.interventions().remove(BAN);
		this.one.registry.register(RateLimitPolicy.of("last", window(5)));
		assertThat(this.one.limiter.decide(BAN.key(), 1).banned()).isFalse();
	}

	@Test
	void anyInstanceEndsWhatAnotherHasBegun() {
		this.one.registry.interventions().put(hour(BAN));
		assertThat(this.other.registry.interventions().remove(BAN)).isNotNull();
		this.one.registry.followOverrides();
		assertThat(this.one.limiter.decide(BAN.key(), 1).allowed()).isTrue();
	}

	@Test
	void overridesAndInterventionsAreBoundedEachByItself() {
		for (int i = 0; i < MAXIMUM; i++) {
			this.one.registry.interventions().put(hour(Target.ofKey(Kind.DENY, "api", "key" + i)));
			this.one.registry.overrides().put(RateLimitOverride.of("api").key("key" + i).limit(window(50)).build());
		}
		assertRefused(Reason.FULL, () -> this.other.registry.interventions().put(hour(BAN)));
		assertRefused(Reason.FULL, () -> this.other.registry.overrides()
			.put(RateLimitOverride.of("api").key("more").limit(window(50)).build()));
	}

	@Test
	void whileTheStoreIsGoneWhatWasKnownStaysInForceAndAChangeIsUnknown() {
		this.one.registry.interventions().put(hour(BAN));
		this.shared.gone = true;
		this.one.registry.followOverrides();
		assertThat(this.one.limiter.decide(BAN.key(), 1).banned()).isTrue();
		assertRefused(Reason.UNAVAILABLE, () -> this.one.registry.interventions().remove(BAN));
		assertRefused(Reason.UNAVAILABLE,
				() -> this.one.registry.interventions().put(hour(Target.ofKey(Kind.DENY, "api", "x"))));
		assertThat(this.one.limiter.decide("x", 1).allowed()).isTrue();
	}

	@Test
	void anInstanceThatServesNothingOverHttpTakesAddressesAsTheyAreWritten(CapturedOutput output) {
		Target address = Target.ofAddress(Kind.DENY, "192.0.2.1");
		this.one.registry.enforceAddresses(new AddressInterventions() {

			@Override
			public String canonical(String address) {
				return address;
			}

			@Override
			public void enforce(List<RateLimitInterventions.InForce> inForce, RateLimitClock clock) {
				// nothing asks for an address here
			}

			@Override
			public long requests(Kind kind) {
				return 0;
			}

		});
		this.one.registry.interventions().put(new RateLimitIntervention(address, null, null, null));
		this.other.registry.followOverrides();
		assertThat(this.other.registry.interventions().inForce()).singleElement()
			.satisfies((each) -> assertThat(each.intervention().target()).isEqualTo(address));
		assertThat(output).doesNotContain("nothing here serves requests");
	}

	@Test
	void whatAnInstanceCannotReadOrDoesNotKnowIsLoggedOnceAndLeavesTheRest(CapturedOutput output) {
		this.one.registry.register(RateLimitPolicy.of("mine", window(1)));
		this.one.registry.interventions().put(hour(Target.ofKey(Kind.BAN, "mine", "x")));
		this.one.registry.interventions().put(hour(BAN));
		this.shared.write("! PARDON api x ~", "2026-01-01T00%3A00%3A00Z ~ ~ ~", null, SharedOverrides.ANY_VERSION, 99);
		this.other.registry.followOverrides();
		this.shared.write("! DENY api y ~", "2026-01-01T00%3A00%3A00Z ~ ~ ~ ~", null, SharedOverrides.ANY_VERSION, 99);
		this.other.registry.followOverrides();
		assertThat(this.other.limiter.decide(BAN.key(), 1).banned()).isTrue();
		assertThat(this.other.registry.interventions().inForce()).hasSize(1);
		assertThat(output.toString().split("There is no rate limit policy named 'mine'", -1)).hasSize(2);
	}

	/**
	 * An instance of the application, with states of its own.
	 */
	private static final class Instance implements RateLimitStore, AutoCloseable {

		private final ManualClock clock = ManualClock.atMidnight();

		private final LocalRateLimitStore states = new LocalRateLimitStore(this.clock, 1000);

		private final SharedOverrides shared;

		private final StoreRateLimiterRegistry registry;

		private final StoreRateLimiter limiter;

		Instance(SharedOverrides shared) {
			this.shared = shared;
			this.registry = new StoreRateLimiterRegistry(this, List.of(), PlanSettings.of(null, this.clock), MAXIMUM,
					(policy) -> null);
			this.limiter = this.registry.register(RateLimitPolicy.of("api", window(100)));
			this.registry.followOverrides();
		}

		@Override
		public String name() {
			return "shared";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return this.states.open(policy);
		}

		@Override
		public SharedOverrides sharedOverrides() {
			return this.shared;
		}

		@Override
		public void close() {
			this.states.close();
		}

	}

}
