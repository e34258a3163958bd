package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Refunding undoes a request, as far as that allows no request that the limit would have
 * kept out.
 */
class RefundTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final RateLimit THREE_A_MINUTE = RateLimit.of(TOKEN_BUCKET, 3, Duration.ofMinutes(1));

	@Test
	void aTokenThatHasRefilledMeanwhileIsNotRefundedAgain() {
		OneKey key = new OneKey(THREE_A_MINUTE, Tick.NANOSECOND, 0);
		RateLimitDecision given = key.decide(0, 1);
		key.decide(20 * SECOND, 1);
		key.refund(20 * SECOND, 1, given);
		assertThat(key.look(20 * SECOND).remaining()).isEqualTo(2);
	}

	@Test
	void aTokenThatHasRefilledInPartIsRefundedInPart() {
		OneKey key = new OneKey(THREE_A_MINUTE, Tick.NANOSECOND, 0);
		RateLimitDecision given = key.decide(0, 1);
		key.decide(10 * SECOND, 1);
		key.refund(10 * SECOND, 1, given);
		OneKey without = new OneKey(THREE_A_MINUTE, Tick.NANOSECOND, 0);
		without.decide(10 * SECOND, 1);
		assertThat(Decisions.describe(key.look(10 * SECOND))).isEqualTo(Decisions.describe(without.look(10 * SECOND)));
	}

	/*
	 * Seven tokens a minute are not a whole number of nanoseconds each.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void aTokenThatWasTakenBehindOthersIsRefundedWhole(int takenSince) {
		RateLimit limit = RateLimit.builder(TOKEN_BUCKET).limit(7).window(Duration.ofMinutes(1)).burst(10L).build();
		OneKey key = new OneKey(limit, Tick.NANOSECOND, 0);
		key.decide(0, 2);
		OneKey without = key.copy();
		RateLimitDecision given = key.decide(0, 1);
		key.decide(0, takenSince);
		without.decide(0, takenSince);
		key.refund(10 * SECOND, 1, given);
		RateLimitDecision expected = without.look(10 * SECOND);
		assertThat(key.look(10 * SECOND).remaining()).isEqualTo(expected.remaining());
		assertThat(key.look(10 * SECOND).resetAfterNanos() - expected.resetAfterNanos()).isBetween(0L, 1L);
	}

	@Test
	void aStateOfALargeLimitThatIsYoungerThanTheRequestGivesItNothing() {
		long epoch = 1_772_668_800_000_000_000L;
		RateLimit limit = RateLimit.of(SLIDING_WINDOW_COUNTER, 1L << 29, Duration.ofMinutes(10));
		RateLimitDecision given = new OneKey(limit, Tick.NANOSECOND, epoch).decide(epoch, 1);
		OneKey afterReset = new OneKey(limit, Tick.NANOSECOND, epoch + 1);
		afterReset.decide(epoch + 1, limit.capacity());
		afterReset.refund(epoch + 2, 1, given);
		assertThat(afterReset.look(epoch + 2).remaining()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void theFirstRequestOfAKeyIsRefundedWhole(RateLimitAlgorithm algorithm) {
		long epoch = 1_772_668_800_000_000_000L;
		OneKey key = new OneKey(RoomyLimits.of(algorithm, 3, Duration.ofMinutes(1)), Tick.NANOSECOND, epoch);
		String before = Decisions.describe(key.look(epoch));
		RateLimitDecision given = key.decide(epoch, 2);
		key.refund(epoch, 2, given);
		assertThat(Decisions.describe(key.look(epoch))).isEqualTo(before);
	}

	@ParameterizedTest
	@EnumSource
	void aStateThatIsYoungerThanTheRequestGivesItNothing(RateLimitAlgorithm algorithm) {
		RateLimit limit = RoomyLimits.of(algorithm, 3, Duration.ofMinutes(1));
		RateLimitDecision given = new OneKey(limit, Tick.NANOSECOND, 0).decide(0, 1);
		OneKey afterReset = new OneKey(limit, Tick.NANOSECOND, 1);
		afterReset.decide(1, limit.capacity());
		afterReset.refund(2, 1, given);
		assertThat(afterReset.look(2).remaining()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void leavesNoMoreThanWhereTheRequestHadNeverBeen(RateLimitAlgorithm algorithm) {
		RandomCases.check(3000, (random) -> {
			RateLimit limit = RandomLimits.any(random, algorithm);
			if (limit.countRejected()) {
				return;
			}
			Tick resolution = Tick.values()[random.nextInt(2)];
			long nanosPerTick = resolution.nanosPerTick();
			long now = 1_772_668_800_000_000_000L / nanosPerTick;
			OneKey key = new OneKey(limit, resolution, now);
			OneKey without = key.copy();
			RateLimitDecision last = key.look(now);
			for (int step = 0; step < 8; step++) {
				long before = 1 + RandomLimits.upTo(random, limit.capacity() - 1);
				if (random.nextBoolean() && key.decide(now, before).allowed()) {
					without.decide(now, before);
				}
				long permits = 1 + RandomLimits.upTo(random, limit.capacity() - 1);
				RateLimitDecision given = key.decide(now, permits);
				for (int i = random.nextInt(4); i > 0; i--) {
					now += RandomLimits.pause(random, last, limit) / nanosPerTick;
					long meanwhile = RandomLimits.permits(random, last, limit.capacity());
					last = key.decide(now, meanwhile);
					if (last.allowed()) {
						without.decide(now, meanwhile);
					}
				}
				now += RandomLimits.pause(random, last, limit) / nanosPerTick;
				if (!given.allowed()) {
					continue;
				}
				key.refund(now, permits, given);
				for (int i = 0; i < 4; i++) {
					long then = now + RandomLimits.upTo(random, 2 * limit.window().toNanos() / nanosPerTick);
					assertThat(key.look(then).remaining()).as("%s, %s", limit, resolution)
						.isLessThanOrEqualTo(without.look(then).remaining());
				}
				without = key.copy();
			}
		});
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEAKY_BUCKET")
	void atOneMomentTheOrderDoesNotMatter(RateLimitAlgorithm algorithm) {
		RandomCases.check(2000, (random) -> {
			RateLimit limit = RandomLimits.any(random, algorithm);
			long now = 1_772_668_800_000_000_000L + RandomLimits.upTo(random, limit.window().toNanos());
			OneKey key = new OneKey(limit, Tick.NANOSECOND, now - 1);
			OneKey untouched = key.copy();
			List<Given> held = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				if (random.nextInt(3) > 0 || held.isEmpty()) {
					long permits = 1 + RandomLimits.upTo(random, (limit.capacity() - 1) / 4);
					if (permits <= key.look(now).remaining()) {
						held.add(new Given(permits, key.decide(now, permits)));
					}
				}
				else {
					refundAny(random, key, now, held);
				}
			}
			while (!held.isEmpty()) {
				refundAny(random, key, now, held);
			}
			assertThat(Decisions.describe(key.look(now))).isEqualTo(Decisions.describe(untouched.look(now)));
		});
	}

	private static void refundAny(Random random, OneKey key, long now, List<Given> held) {
		Given given = held.remove(random.nextInt(held.size()));
		key.refund(now, given.permits(), given.decision());
	}

	private record Given(long permits, RateLimitDecision decision) {
	}

}
