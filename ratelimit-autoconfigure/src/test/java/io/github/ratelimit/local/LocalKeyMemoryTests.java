package io.github.ratelimit.local;

import java.util.stream.IntStream;

import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LocalKeyMemoryTests {

	private static final int MAXIMUM = 10_000;

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 1000, MAXIMUM);

	private final KeyMemory<String> memory = this.store.memories().open(100);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void remembersTheFirstValueOfAKey() {
		assertThat(this.memory.find("key")).isNull();
		assertThat(this.memory.findOrAdd("key", () -> "first")).isEqualTo("first");
		assertThat(this.memory.findOrAdd("key", () -> "second")).isEqualTo("first");
		for (int i = 0; i < 100; i++) {
			assertThat(this.memory.find("key")).isEqualTo("first");
		}
	}

	@Test
	void countsTheKeysEntryItsTextAndItsValue() {
		this.memory.findOrAdd("key", () -> "value");
		assertThat(this.store.memory().used()).isEqualTo(192 + 3 * 2 + 100);
	}

	@Test
	void staysWithinTheBytes() {
		IntStream.range(0, 100).forEach((i) -> this.memory.findOrAdd("key" + i, () -> "value"));
		assertThat(this.store.memory().used()).isBetween(MAXIMUM * 9L / 10, (long) MAXIMUM);
	}

}
