package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.ratelimit.KeyMemory;
import io.github.ratelimit.ManualClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.local.LocalRateLimitStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many denials are remembered, and whose.
 */
class DenialMemoryTests {

	private static final int ROOM = 100_000;

	private static final RateLimitDecision DENIED = RateLimitDecision.rejected(0, 0, Duration.ofSeconds(5).toNanos(),
			Duration.ofSeconds(5).toNanos(), Duration.ofSeconds(5).toNanos());

	private final LocalRateLimitStore local = new LocalRateLimitStore(ManualClock.atMidnight(), ROOM, 1L << 30);

	@AfterEach
	void close() {
		this.local.close();
	}

	private static RememberedDenials denials(KeyMemory.Provider memories) {
		return new RememberedDenials(Duration.ofSeconds(1), memories.open(KnownKey.bytes(1)));
	}

	private List<RememberedDenials> both() {
		return List.of(denials(this.local.memories()), denials(FixedPlaces.provider()));
	}

	private static void deny(RememberedDenials denials, String key, long now) {
		if (denials.find(key, 1, now) == null) {
			denials.remember(key, 1, DENIED, now);
		}
	}

	private static long known(RememberedDenials denials, long now) {
		return IntStream.range(0, ROOM).filter((i) -> denials.find("key" + i, 1, now) != null).count();
	}

	@Test
	void aHundredThousandDeniedKeysAreAllKnown() {
		RememberedDenials denials = denials(this.local.memories());
		IntStream.range(0, ROOM).forEach((i) -> deny(denials, "key" + i, 0));
		assertThat(known(denials, 0)).isEqualTo(ROOM);
	}

	@Test
	void aFloodOfKeysThatComeOnceDoesNotPushOutThoseThatComeAgain() {
		RememberedDenials denials = denials(this.local.memories());
		long now = 0;
		for (int second = 0; second < 20; second++) {
			now = TimeUnit.SECONDS.toNanos(second);
			for (int i = 0; i < ROOM; i++) {
				deny(denials, "key" + i, now);
			}
			for (int i = 0; i < ROOM; i++) {
				deny(denials, "once" + second + "-" + i, now);
			}
		}
		assertThat(known(denials, now)).isGreaterThan(ROOM * 8 / 10);
	}

	@ParameterizedTest
	@ValueSource(ints = { 8, 512 })
	void whatIsRememberedStaysWithinItsBytes(int length) {
		int bytes = 1 << 20;
		String end = "x".repeat(length);
		try (LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), ROOM, bytes)) {
			RememberedDenials denials = denials(store.memories());
			IntStream.range(0, ROOM).forEach((i) -> deny(denials, (i + end).substring(0, length), 0));
			long known = IntStream.range(0, ROOM)
				.filter((i) -> denials.find((i + end).substring(0, length), 1, 0) != null)
				.count();
			long least = KnownKey.bytes(1) + 2L * length;
			assertThat(known).isBetween(bytes / 2 / (least + 192), bytes / least);
		}
	}

	@Test
	void aHundredThousandKeysTakeTheRoomOfAFewThousandWithoutACache() {
		RememberedDenials denials = denials(FixedPlaces.provider());
		for (int i = 0; i < ROOM; i++) {
			denials.remember("key" + i, 1, DENIED, 0);
			assertThat(denials.find("key" + i, 1, 0)).isNotNull();
		}
		assertThat(known(denials, 0)).isBetween(4000L, 20_000L);
	}

	@Test
	void aVeryLongKeyIsNotHeld() {
		String longest = "x".repeat(512);
		assertThat(both()).allSatisfy((denials) -> {
			denials.remember(longest, 1, DENIED, 0);
			denials.remember(longest + "x", 1, DENIED, 0);
			assertThat(denials.find(longest, 1, 0)).isNotNull();
			assertThat(denials.find(longest + "x", 1, 0)).isNull();
			denials.forget(longest + "x", 0);
		});
	}

	@Test
	void keysOfOneHashAreNotMistakenForOneAnother() {
		assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
		assertThat(both()).allSatisfy((denials) -> {
			denials.remember("Aa", 1, DENIED, 0);
			assertThat(denials.find("BB", 1, 0)).isNull();
			denials.remember("BB", 1, DENIED, 0);
			denials.forget("Aa", 0);
			assertThat(denials.find("Aa", 1, 0)).isNull();
		});
	}

}
