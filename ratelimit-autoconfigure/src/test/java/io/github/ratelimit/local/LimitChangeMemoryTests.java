package io.github.ratelimit.local;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How long the keys of one policy under several limits are kept, and what they weigh.
 */
class LimitChangeMemoryTests extends OneChangedPolicy {

	@Test
	void allLimitsShareTheKeysAndWhatIsKnownOfThem() {
		LocalStates free = (LocalStates) this.store.open(fixed(60));
		LocalStates pro = free.under(fixed(6000));
		LocalStates log = pro.under(policy(RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE)));
		free.decide("a", 1);
		pro.decide("b", 1);
		log.decide("c", 1);
		for (LocalStates each : List.of(free, pro, log)) {
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
				LocalStates first = (LocalStates) fresh.open(RandomLimits.chargedPolicy(random, 1, 61));
				List<LocalStates> all = List.of(first, first.under(RandomLimits.chargedPolicy(random, 1, 61)),
						first.under(RandomLimits.chargedPolicy(random, 1, 61)));
				for (int i = 0; i < 40; i++) {
					LocalStates states = all.get(random.nextInt(3));
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
		LocalStates month = (LocalStates) this.store
			.open(policy(RateLimit.of(TOKEN_BUCKET, 1_000_000, Duration.ofDays(30))));
		LocalStates second = month.under(policy(RateLimit.of(TOKEN_BUCKET, 999_983, Duration.ofSeconds(1))));
		month.decide("key", 1_000_000);
		assertThat(second.decide("key", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofHours(1));
		assertThat(second.decide("key", 1).allowed()).isTrue();
		month.reset("key");
		assertThat(this.store.memory().used()).isZero();
	}

	@Test
	void otherLimitsAreCheckedAsThoseOfAPolicyAre() {
		PolicyDecider states = this.store.open(fixed(60));
		RateLimitPolicy heavy = policy(RateLimit.of(SLIDING_WINDOW_LOG, 200_000, MINUTE));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> states.under(heavy))
			.withMessageContaining("heavier than 1 MiB");
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
