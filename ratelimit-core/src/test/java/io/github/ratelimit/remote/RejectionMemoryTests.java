package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many rejections are remembered, and whose.
 */
class RejectionMemoryTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1)));

	private static final int ROOM = 100_000;

	private static final RateLimitDecision DENIED = RateLimitDecisions.rejected(0, 0, Duration.ofSeconds(5).toNanos(),
			Duration.ofSeconds(5).toNanos(), Duration.ofSeconds(5).toNanos());

	private final LocalRateLimitStore local = new LocalRateLimitStore(ManualClock.atMidnight(), ROOM, 1L << 30);

	@AfterEach
	void close() {
		this.local.close();
	}

	private static RememberedAnswers rejections(KeyMemory.Provider memories) {
		return new RememberedAnswers(POLICY, memories.open(RememberedAnswers.bytes(1)), Duration.ofSeconds(1), false);
	}

	private List<RememberedAnswers> both() {
		return List.of(rejections(this.local.memories()), rejections(FixedSlots.within(MemoryBudget.ofHeap())));
	}

	private static void deny(RememberedAnswers rejections, String key, long now) {
		if (rejections.find(key, 1, now) == null) {
			rejections.remember(key, 1, false, DENIED, now);
		}
	}

	private static long known(RememberedAnswers rejections, long now) {
		return IntStream.range(0, ROOM).filter((i) -> rejections.find("key" + i, 1, now) != null).count();
	}

	@Test
	void aHundredThousandRejectedKeysAreAllKnown() {
		RememberedAnswers rejections = rejections(this.local.memories());
		IntStream.range(0, ROOM).forEach((i) -> deny(rejections, "key" + i, 0));
		assertThat(known(rejections, 0)).isEqualTo(ROOM);
	}

	@Test
	void aFloodOfKeysThatComeOnceDoesNotPushOutThoseThatComeAgain() {
		RememberedAnswers rejections = rejections(this.local.memories());
		long now = 0;
		for (int second = 0; second < 10; second++) {
			now = TimeUnit.SECONDS.toNanos(second);
			for (int i = 0; i < ROOM; i++) {
				deny(rejections, "key" + i, now);
			}
			for (int i = 0; i < ROOM; i++) {
				deny(rejections, "once" + second + "-" + i, now);
			}
		}
		assertThat(known(rejections, now)).isGreaterThan(ROOM * 8 / 10);
	}

	@ParameterizedTest
	@ValueSource(ints = { 8, 512 })
	void whatIsRememberedStaysWithinItsBytes(int length) {
		int bytes = 1 << 20;
		String end = "x".repeat(length);
		try (LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), ROOM, bytes)) {
			RememberedAnswers rejections = rejections(store.memories());
			IntStream.range(0, ROOM).forEach((i) -> deny(rejections, (i + end).substring(0, length), 0));
			long known = IntStream.range(0, ROOM)
				.filter((i) -> rejections.find((i + end).substring(0, length), 1, 0) != null)
				.count();
			long least = RememberedAnswers.bytes(1) + 2L * length;
			assertThat(known).isBetween(bytes / 2 / (least + 192), bytes / least);
		}
	}

	@Test
	void aHundredThousandKeysTakeTheRoomOfAFewThousandWithoutACache() {
		RememberedAnswers rejections = rejections(FixedSlots.within(MemoryBudget.ofHeap()));
		for (int i = 0; i < ROOM; i++) {
			rejections.remember("key" + i, 1, false, DENIED, 0);
			assertThat(rejections.find("key" + i, 1, 0)).isNotNull();
		}
		assertThat(known(rejections, 0)).isBetween(4000L, 20_000L);
	}

	@Test
	void aVeryLongKeyIsNotHeld() {
		String longest = "x".repeat(512);
		assertThat(both()).allSatisfy((rejections) -> {
			rejections.remember(longest, 1, false, DENIED, 0);
			rejections.remember(longest + "x", 1, false, DENIED, 0);
			assertThat(rejections.find(longest, 1, 0)).isNotNull();
			assertThat(rejections.find(longest + "x", 1, 0)).isNull();
			rejections.forgetRejection(longest + "x", 0);
		});
	}

	@Test
	void keysOfOneHashAreNotMistakenForOneAnother() {
		assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
		assertThat(both()).allSatisfy((rejections) -> {
			rejections.remember("Aa", 1, false, DENIED, 0);
			assertThat(rejections.find("BB", 1, 0)).isNull();
			rejections.remember("BB", 1, false, DENIED, 0);
			rejections.forgetRejection("Aa", 0);
			assertThat(rejections.find("Aa", 1, 0)).isNull();
		});
	}

}
