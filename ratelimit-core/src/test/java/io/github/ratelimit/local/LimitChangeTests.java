package io.github.ratelimit.local;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What was taken from the keys of one policy under other limits stays taken in the local
 * store, and is settled there; how long such keys are kept, and what they weigh.
 */
class LimitChangeTests {

	private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	static Stream<Arguments> changes() {
		return Stream.of(arguments("P1", fixed(60), 50, TEN_SECONDS, fixed(6000), 5950, Duration.ofSeconds(40)),
				arguments("P2", fixed(6000), 500, TEN_SECONDS, fixed(60), 0, Duration.ofSeconds(40)),
				arguments("P3", bucket(60), 50, Duration.ZERO, bucket(6000), 5950, Duration.ofMillis(500)),
				arguments("P4", bucket(6000), 500, Duration.ZERO, bucket(60), 0, MINUTE),
				arguments("P5", policy(RateLimit.of(SLIDING_WINDOW_LOG, 5, MINUTE)), 5, Duration.ZERO, bucket(10), 10,
						Duration.ZERO));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("changes")
	void whatWasTakenStaysTaken(String example, RateLimitPolicy before, long taken, Duration pause,
			RateLimitPolicy after, long remaining, Duration full) {
		PolicyDecider states = this.store.open(before);
		PolicyDecider changed = states.under(after);
		this.clock.advance(TEN_SECONDS);
		assertThat(states.decide("key", taken).allowed()).isTrue();
		this.clock.advance(pause);
		RateLimitDecision look = changed.decide("key", 0);
		assertThat(look.remaining()).isEqualTo(remaining);
		assertThat(look.resetAfterNanos()).isEqualTo(full.toNanos());
		assertThat(changed.decide("key", remaining + 1).allowed()).isFalse();
		this.clock.advance(full.minusNanos(1).isNegative() ? Duration.ZERO : full.minusNanos(1));
		assertThat(changed.decide("key", after.capacity()).allowed()).isEqualTo(full.isZero());
		if (!full.isZero()) {
			this.clock.advanceNanos(1);
			assertThat(changed.decide("key", after.capacity()).allowed()).isTrue();
		}
	}

	@Test
	void aLookCarriesNothingOver() {
		PolicyDecider pro = this.store.open(bucket(6000));
		PolicyDecider free = pro.under(bucket(60));
		PolicyDecider two = pro
			.under(policy(RateLimit.of(TOKEN_BUCKET, 50, MINUTE), RateLimit.of(FIXED_WINDOW_COUNTER, 40, MINUTE)));
		pro.decide("key", 500);
		assertThat(free.decide("key", 0).remaining()).isZero();
		assertThat(free.decideWithoutDelay("key", 0).remaining()).isZero();
		assertThat(free.decide("key", 61).allowed()).isFalse();
		assertThat(two.decide("key", 0).remaining()).isZero();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
	}

	@Test
	void aBanSurvivesAChangeOfLimits() {
		RateLimitPolicy banning = RateLimitPolicy.builder("api")
			.limit(RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE))
			.ban(new RateLimitBan(2))
			.build();
		PolicyDecider free = this.store.open(banning);
		PolicyDecider pro = free.under(banning.withLimits(List.of(RateLimit.of(FIXED_WINDOW_COUNTER, 2, MINUTE))));
		assertThat(pro.bans()).isTrue();
		free.decide("key", 1);
		assertThat(free.decide("key", 1).banned()).isFalse();
		assertThat(pro.decide("key", 1).allowed()).isTrue();
		assertThat(pro.decide("key", 3).newBan()).isZero();
		assertThat(pro.decide("key", 1).newBan()).isOne();
		assertThat(free.decide("key", 0).banned()).isTrue();
		assertThat(pro.decide("key", 1).banned()).isTrue();
		assertThat(pro.keys()).isEqualTo(free.keys()).isOne();
		pro.reset("key");
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void bansThatAreCountedInShadowAreApartFromThoseThatAreEnforced() {
		RateLimitPolicy policy = RateLimitPolicy.builder("api")
			.limit(RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE))
			.ban(new RateLimitBan(2))
			.build();
		PolicyDecider enforced = this.store.open(policy);
		PolicyDecider shadow = enforced.under(policy.withMode(RateLimitMode.SHADOW));
		assertThat(shadow.decide("key", 1).allowed()).isTrue();
		assertThat(shadow.decide("key", 1).banned()).isFalse();
		assertThat(enforced.decide("key", 1)).as("the first that is enforced")
			.returns(false, RateLimitDecision::allowed)
			.returns(false, RateLimitDecision::banned);
		assertThat(shadow.decide("key", 1).newBan()).isOne();
		assertThat(enforced.decide("key", 0).banned()).isFalse();
		assertThat(shadow.under(policy.withMode(RateLimitMode.SHADOW)).decide("key", 0).banned()).isTrue();

		assertThat(enforced.decide("key", 1).newBan()).isOne();
		assertThat(enforced.keys()).isEqualTo(shadow.keys()).isOne();
		enforced.reset("key");
		assertThat(this.store.memory().used()).isZero();
		assertThat(shadow.decide("key", 1).allowed()).isTrue();
		assertThat(enforced.decide("key", 0).banned()).isFalse();
	}

	@Test
	void bansOfBothModesAreCountedAmongTheKeysAndEvictions() {
		RateLimitPolicy policy = RateLimitPolicy.builder("api")
			.limit(RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE))
			.ban(new RateLimitBan(1))
			.mode(RateLimitMode.SHADOW)
			.build();
		PolicyDecider shadow = this.store.open(policy);
		PolicyDecider enforced = shadow.under(policy.withMode(RateLimitMode.ENFORCE));
		for (int i = 0; i < 150; i++) {
			shadow.decide("key" + i, 1);
			assertThat(shadow.decide("key" + i, 1).banned()).isTrue();
			assertThat(enforced.decide("key" + i, 1).banned()).isTrue();
		}
		assertThat(enforced.evictions()).isEqualTo(shadow.evictions()).as("keys and two bans each").isEqualTo(3 * 50);
		this.clock.advance(MINUTE);
		this.store.forgetIdle();
		assertThat(enforced.keys()).as("bans").isEqualTo(shadow.keys()).isEqualTo(100);
		this.clock.advance(Duration.ofDays(3000));
		this.store.forgetIdle();
		assertThat(this.store.memory().used()).isZero();
	}

	private static RateLimitPolicy policy(RateLimit... limits) {
		return RateLimitPolicy.of("api", limits);
	}

	private static RateLimitPolicy fixed(long limit) {
		return policy(RateLimit.of(FIXED_WINDOW_COUNTER, limit, MINUTE));
	}

	private static RateLimitPolicy bucket(long limit) {
		return policy(RateLimit.of(TOKEN_BUCKET, limit, MINUTE));
	}

	@Test
	void permitsAreRefundedToTheStateThatIsThere() {
		PolicyDecider free = this.store.open(fixed(60));
		PolicyDecider pro = free.under(fixed(6000));
		RateLimitDecision given = free.decide("key", 10);
		pro.decide("key", 5);
		free.settle("key", 10, 2, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5993);
		free.settle("key", 2, 4, given);
		assertThat(free.decide("key", 0).remaining()).isEqualTo(51);
		RateLimitDecision more = pro.decide("key", 1);
		free.refund("key", 1, more);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5991);
	}

	@Test
	void allLimitsShareTheKeysAndWhatIsKnownOfThem() {
		LocalDecider free = (LocalDecider) this.store.open(fixed(60));
		LocalDecider pro = free.under(fixed(6000));
		LocalDecider log = pro.under(policy(RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE)));
		free.decide("a", 1);
		pro.decide("b", 1);
		log.decide("c", 1);
		for (LocalDecider each : List.of(free, pro, log)) {
			assertThat(each.keys()).isEqualTo(3);
			assertThat(each.keys.bytes()).isPositive().isEqualTo(this.store.memory().used());
		}
		free.reset("c");
		log.reset("a");
		assertThat(pro.keys()).isOne();
		assertThat(pro.decide("b", 0).remaining()).isEqualTo(5999);
		this.clock.advance(MINUTE);
		pro.decide("a", 1);
		log.decide("c", 1);
		this.store.forgetIdle();
		assertThat(free.keys()).isEqualTo(2);
		for (int i = 0; i < 200; i++) {
			(i % 2 == 0 ? pro : log).decide("key" + i, 1);
		}
		assertThat(free.keys()).isEqualTo(100);
		assertThat(free.evictions()).isEqualTo(102).isEqualTo(log.evictions());
		this.store.forgetAll();
		assertThat(pro.keys()).isZero();
		assertThat(this.store.memory().used()).isZero();
	}

	@Test
	void keysAreForgottenWhenTheLimitsThatWroteThemSayThatTheyAreIdle() {
		PolicyDecider minute = this.store.open(fixed(60));
		PolicyDecider hour = minute.under(policy(RateLimit.of(FIXED_WINDOW_COUNTER, 60, Duration.ofHours(1))));
		minute.decide("short", 1);
		hour.decide("long", 1);
		this.clock.advance(MINUTE);
		this.store.forgetIdle();
		assertThat(minute.keys()).isOne();
		assertThat(hour.decide("long", 0).remaining()).isEqualTo(59);
		this.clock.advance(Duration.ofHours(1));
		this.store.forgetIdle();
		assertThat(hour.keys()).isZero();
	}

	@Test
	void bytesAreCountedExactlyWhicheverLimitsDecide() {
		RandomCases.check(300, (random) -> {
			ManualClock clock = ManualClock.atMidnight();
			try (LocalRateLimitStore fresh = new LocalRateLimitStore(clock, 4)) {
				LocalDecider first = (LocalDecider) fresh.open(RandomLimits.chargedPolicy(random, 1, 61));
				List<LocalDecider> all = List.of(first, first.under(RandomLimits.chargedPolicy(random, 1, 61)),
						first.under(RandomLimits.chargedPolicy(random, 1, 61)));
				for (int i = 0; i < 40; i++) {
					LocalDecider states = all.get(random.nextInt(3));
					String key = "key" + random.nextInt(6);
					RateLimitDecision given = states.decide(key, 1);
					clock.advanceNanos(RandomLimits.upTo(random, MINUTE.toNanos()));
					if (given.allowed()) {
						all.get(random.nextInt(3)).settle(key, 1, RandomLimits.upTo(random, 300), given);
					}
					if (random.nextInt(10) == 0) {
						fresh.forgetIdle();
					}
				}
				long bytes = first.keys.map()
					.entrySet()
					.stream()
					.mapToLong((entry) -> first.keys.bytesOf(entry.getKey(), entry.getValue()))
					.sum();
				assertThat(fresh.memory().used()).isEqualTo(bytes);
			}
		});
	}

	@Test
	void bytesAreCountedExactlyWhenAStateThatWasCarriedOverGetsANewBase() {
		LocalDecider month = (LocalDecider) this.store
			.open(policy(RateLimit.of(TOKEN_BUCKET, 1_000_000, Duration.ofDays(30))));
		LocalDecider second = month.under(policy(RateLimit.of(TOKEN_BUCKET, 999_983, Duration.ofSeconds(1))));
		month.decide("key", 1_000_000);
		assertThat(second.decide("key", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofHours(1));
		assertThat(second.decide("key", 1).allowed()).isTrue();
		month.reset("key");
		assertThat(this.store.memory().used()).isZero();
	}

	@Test
	void theSmallestMemoryIsEnoughForTheLimitsThatItLetsIn() {
		String key = "k".repeat(256);
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE);
		RateLimitPolicy policy = policy(log, log);
		long bytes = 192 + 2 * 256 + 40 + 2 * (24 + 2 * 22 * 8);
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 10, bytes - 1)) {
			assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> small.open(policy))
				.withMessageContaining(" take up to " + bytes + " bytes");
		}
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 10, bytes)) {
			PolicyDecider changed = small.open(policy).under(policy);
			for (int i = 0; i < 20; i++) {
				assertThat(changed.decide(key, 1).remaining()).isEqualTo(19 - i);
			}
			assertThat(small.memory().used()).isLessThanOrEqualTo(small.memory().maximum());
		}
	}

	@Test
	void limitsThatNoStateWasWrittenUnderAreGarbage() {
		PolicyDecider states = this.store.open(fixed(60));
		states.decide("key", 1);
		WeakReference<PolicyDecider> other = new WeakReference<>(states.under(fixed(6000)));
		WeakReference<PolicyDecider> used = new WeakReference<>(decided(states.under(fixed(600))));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			System.gc();
			return other.get() == null;
		});
		assertThat(used.get()).isNotNull();
		assertThat(states.decide("key", 1).remaining()).isEqualTo(57);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			System.gc();
			return used.get() == null;
		});
	}

	private static PolicyDecider decided(PolicyDecider states) {
		states.decide("key", 1);
		return states;
	}

}
