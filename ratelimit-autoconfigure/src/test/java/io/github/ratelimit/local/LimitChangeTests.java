package io.github.ratelimit.local;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The keys of one policy under several limits in the local store.
 */
class LimitChangeTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	@AfterEach
	void close() {
		this.store.close();
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
		RateLimitStates states = this.store.open(before);
		RateLimitStates changed = states.under(after);
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
	void aDowngradedBucketHasItsNextPermitAfterASecond() {
		RateLimitStates pro = this.store.open(bucket(6000));
		RateLimitStates free = pro.under(bucket(60));
		pro.decide("key", 500);
		assertThat(free.decide("key", 1).retryAfterNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		this.clock.advance(Duration.ofSeconds(1).minusNanos(1));
		assertThat(free.decide("key", 1).allowed()).isFalse();
		this.clock.advanceNanos(1);
		assertThat(free.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aLookCarriesNothingOver() {
		RateLimitStates pro = this.store.open(bucket(6000));
		RateLimitStates free = pro.under(bucket(60));
		RateLimitStates two = pro
			.under(policy(RateLimit.of(TOKEN_BUCKET, 50, MINUTE), RateLimit.of(FIXED_WINDOW_COUNTER, 40, MINUTE)));
		pro.decide("key", 500);
		assertThat(free.decide("key", 0).remaining()).isZero();
		assertThat(free.decideAtOnce("key", 0).remaining()).isZero();
		assertThat(free.decide("key", 61).allowed()).isFalse();
		assertThat(two.decide("key", 0).remaining()).isZero();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
		assertThat(two.decide("key", 1).allowed()).isFalse();
		assertThat(two.decide("key", 0).remaining()).isZero();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
	}

	@Test
	void aRejectionLeavesOtherLimitsTheWordAsTheyHadIt() {
		checkRejectionLeavesTheState(bucket(6000), bucket(60));
	}

	@Test
	void aRejectionLeavesOtherLimitsTheWordsAsTheyHadThem() {
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 10_000, MINUTE);
		checkRejectionLeavesTheState(policy(RateLimit.of(TOKEN_BUCKET, 6000, MINUTE), log),
				policy(RateLimit.of(TOKEN_BUCKET, 60, MINUTE), log));
	}

	private void checkRejectionLeavesTheState(RateLimitPolicy higher, RateLimitPolicy lower) {
		RateLimitStates pro = this.store.open(higher);
		RateLimitStates free = pro.under(lower);
		pro.decide("key", 500);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
		assertThat(pro.decide("key", 100).remaining()).isEqualTo(5400);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(free.decide("key", 1).allowed()).isTrue();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5940);
	}

	@Test
	void aRejectionOfWhatCannotWaitLeavesOtherLimitsTheWordsAsTheyHadThem() {
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 10_000, MINUTE);
		RateLimitStates pro = this.store.open(policy(queue(59), log));
		RateLimitStates free = pro.under(policy(queue(5), log));
		pro.decide("key", 40);
		RateLimitDecision rejection = free.decideAtOnce("key", 1);
		assertThat(rejection.allowed()).isFalse();
		assertThat(rejection.queueFull()).isFalse();
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(20);
	}

	private static RateLimit queue(long burst) {
		return RateLimit.builder(LEAKY_BUCKET).limit(60).window(MINUTE).burst(burst).delay(burst - 1).build();
	}

	@Test
	void whatIsSettledAfterARejectionIsSettledInTheStateThatWasThere() {
		RateLimitStates pro = this.store.open(fixed(6000));
		RateLimitStates free = pro.under(fixed(60));
		RateLimitDecision given = pro.decide("key", 500);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		pro.settle("key", 500, 490, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5510);
		assertThat(free.decide("key", 1).allowed()).isFalse();
		pro.settle("key", 490, 500, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5500);
	}

	@Test
	void aStateThatIsKeptForOtherLimitsWeighsAsMuchAsBoth() {
		LocalStates pro = (LocalStates) this.store.open(bucket(6000));
		pro.decide("key", 500);
		assertThat(pro.bytes()).isEqualTo(192 + 2 * 3 + 24 + 2 * 8);
		pro.under(bucket(60)).decide("key", 1);
		assertThat(pro.bytes()).isEqualTo(192 + 2 * 3 + 24 + 2 * 8 + 2 * 8 + 32 + 24 + 2 * 8);
	}

	@Test
	void wordsThatAreKeptForOtherLimitsWeighAsMuchAsBoth() {
		RateLimit window = RateLimit.of(FIXED_WINDOW_COUNTER, 1000, MINUTE);
		LocalStates pro = (LocalStates) this.store.open(policy(RateLimit.of(TOKEN_BUCKET, 6000, MINUTE), window));
		pro.decide("key", 500);
		long words = ((long[]) pro.map().get("key")).length;
		assertThat(pro.bytes()).isEqualTo(192 + 2 * 3 + 24 + 8 * words);
		pro.under(policy(RateLimit.of(TOKEN_BUCKET, 60, MINUTE), window)).decide("key", 1);
		assertThat(pro.bytes()).isEqualTo(192 + 2 * 3 + 32 + 24 + 8 * words + 8 + 32 + 24 + 8 * (words - 1));
	}

	@ParameterizedTest
	@EnumSource
	void anUpgradeAndBackTakesNothingAndGivesNothing(RateLimitAlgorithm algorithm) {
		RateLimitStates free = this.store.open(policy(RoomyLimits.of(algorithm, 60, MINUTE)));
		RateLimitStates pro = free.under(policy(RoomyLimits.of(algorithm, 6000, MINUTE)));
		long capacity = free.decide("key", 0).remaining();
		for (int i = 1; i <= capacity; i++) {
			assertThat((i % 2 == 0 ? free : pro).decide("key", 1).allowed()).isTrue();
		}
		assertThat(free.decide("key", 1).allowed()).isFalse();
		assertThat(pro.decide("key", 1).allowed()).isTrue();
	}

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
			assertThat(each.bytes()).isPositive().isEqualTo(this.store.memory().used());
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
		RateLimitStates minute = this.store.open(fixed(60));
		RateLimitStates hour = minute.under(policy(RateLimit.of(FIXED_WINDOW_COUNTER, 60, Duration.ofHours(1))));
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
	void aKeyIsKeptForTheLimitsThatHaveTakenFromItThoughOthersRejectedIt() {
		RateLimitStates hour = this.store.open(policy(RateLimit.of(FIXED_WINDOW_COUNTER, 60, Duration.ofHours(1))));
		RateLimitStates minute = hour.under(fixed(5));
		hour.decide("key", 40);
		assertThat(minute.decide("key", 1).allowed()).isFalse();
		this.clock.advance(MINUTE);
		this.store.forgetIdle();
		assertThat(hour.decide("key", 0).remaining()).isEqualTo(20);
		this.clock.advance(Duration.ofMinutes(59));
		this.store.forgetIdle();
		assertThat(hour.keys()).isZero();
	}

	/*
	 * The other call waits for the map's operation, in which the state is replaced.
	 */
	@Test
	void permitsAreGivenBackToAStateThatWasRestoredMeanwhile() throws InterruptedException {
		LocalStates pro = (LocalStates) this.store.open(fixed(6000));
		RateLimitDecision given = pro.decide("key", 500);
		assertThat(pro.under(fixed(60)).decide("key", 1).allowed()).isFalse();
		Thread call = new Thread(() -> pro.giveBack("key", 1, given));
		pro.map().compute("key", (key, state) -> {
			call.start();
			Awaitility.await().until(() -> call.getState() == Thread.State.BLOCKED);
			return pro.create();
		});
		call.join();
		assertThat(pro.keys()).isOne();
	}

	@Test
	void allStatesAreInThisProcess() {
		assertThat(this.store.open(fixed(60)).isInProcess()).isTrue();
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
				long bytes = first.map()
					.entrySet()
					.stream()
					.mapToLong((entry) -> KeyWeight.of(entry.getKey(), entry.getValue()))
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
	void permitsAreGivenBackToTheStateThatIsThere() {
		RateLimitStates free = this.store.open(fixed(60));
		RateLimitStates pro = free.under(fixed(6000));
		RateLimitDecision given = free.decide("key", 10);
		pro.decide("key", 5);
		free.settle("key", 10, 2, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5993);
		free.settle("key", 2, 4, given);
		assertThat(free.decide("key", 0).remaining()).isEqualTo(51);
		RateLimitDecision more = pro.decide("key", 1);
		free.giveBack("key", 1, more);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5991);
	}

	@Test
	void aDebtIsMadeInTheStateThatIsThere() {
		RateLimitPolicy charged = RateLimitPolicy.builder("api")
			.charge("status")
			.limit(RateLimit.of(TOKEN_BUCKET, 60, MINUTE))
			.build();
		RateLimitStates free = this.store.open(charged);
		RateLimitStates log = free.under(charged
			.withLimits(List.of(RateLimit.of(TOKEN_BUCKET, 60, MINUTE), RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE))));
		RateLimitDecision given = free.decide("key", 1);
		log.decide("key", 1);
		free.settle("key", 1, 11, given);
		assertThat(log.decide("key", 0).remaining()).isEqualTo(9);
		assertThat(free.decide("key", 0).remaining()).isEqualTo(48);
	}

	@Test
	void aBucketIsNotGivenWhatAnotherRateHasGiven() {
		RateLimitStates free = this.store.open(bucket(60));
		RateLimitStates pro = free.under(bucket(6000));
		RateLimitDecision given = free.decide("key", 10);
		pro.decide("key", 5);
		free.giveBack("key", 10, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5985);
	}

	@Test
	void aBanSurvivesAChangeOfLimits() {
		RateLimitPolicy banning = RateLimitPolicy.builder("api")
			.limit(RateLimit.of(FIXED_WINDOW_COUNTER, 1, MINUTE))
			.ban(RateLimitBan.builder().after(2).build())
			.build();
		RateLimitStates free = this.store.open(banning);
		RateLimitStates pro = free.under(banning.withLimits(List.of(RateLimit.of(FIXED_WINDOW_COUNTER, 2, MINUTE))));
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
	void otherLimitsAreCheckedAsThoseOfAPolicyAre() {
		RateLimitStates states = this.store.open(fixed(60));
		RateLimitPolicy heavy = policy(RateLimit.of(SLIDING_WINDOW_LOG, 200_000, MINUTE));
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> states.under(heavy))
			.withMessageContaining("heavier than 1 MiB");
	}

	@Test
	void theSmallestMemoryIsEnoughForTheLimitsThatItLetsIn() {
		String key = "k".repeat(256);
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE);
		RateLimitPolicy policy = policy(log, log);
		long bytes = 192 + 2 * 256 + 2 * (24 + (1 + 2 * 22) * 8);
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 10, bytes)) {
			RateLimitStates states = small.open(policy);
			assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> states.under(policy))
				.withMessageContaining(" take up to " + (bytes + 32) + " bytes");
		}
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 10, bytes + 32)) {
			RateLimitStates changed = small.open(policy).under(policy);
			for (int i = 0; i < 20; i++) {
				assertThat(changed.decide(key, 1).remaining()).isEqualTo(19 - i);
			}
			assertThat(small.memory().used()).isLessThanOrEqualTo(small.memory().maximum());
		}
	}

	@Test
	void limitsThatNoStateWasWrittenUnderAreGarbage() {
		RateLimitStates states = this.store.open(fixed(60));
		states.decide("key", 1);
		WeakReference<RateLimitStates> other = new WeakReference<>(states.under(fixed(6000)));
		WeakReference<RateLimitStates> used = new WeakReference<>(decided(states.under(fixed(600))));
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

	private static RateLimitStates decided(RateLimitStates states) {
		states.decide("key", 1);
		return states;
	}

}
