package io.github.ratelimit.advice;

import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who is rejected most, among more keys than there are counters.
 */
class RejectedKeysTests {

	private final RejectedKeys keys = new RejectedKeys(true);

	private void add(String key) {
		this.keys.add(key, (text) -> "#" + text);
	}

	@Test
	void fewKeysAreCountedExactly() {
		for (int i = 0; i < 30; i++) {
			for (int times = 0; times <= i; times++) {
				add("key-" + i);
			}
		}
		List<RejectedKey> most = this.keys.most(true);
		assertThat(most).hasSize(20).startsWith(new RejectedKey("key-29", "#key-29", 30, 0));
		assertThat(most).endsWith(new RejectedKey("key-10", "#key-10", 11, 0));
	}

	@Test
	void thoseRejectedMostAreFoundAmongManyWhoComeOnce() {
		Random random = new Random(11);
		for (int i = 0; i < 200_000; i++) {
			add("other-" + i);
			if (i % 10 == 0) {
				add("often-" + random.nextInt(5));
			}
		}
		assertThat(this.keys.most(true).subList(0, 5)).allSatisfy((key) -> {
			assertThat(key.key()).startsWith("often-");
			assertThat(key.rejected() - key.error()).isBetween(1L, 4300L);
			assertThat(key.rejected()).isGreaterThanOrEqualTo(3700L);
			assertThat(key.error()).isLessThanOrEqualTo(220_000 / 128);
		});
	}

	@Test
	void longKeyIsCut() {
		add("k".repeat(10_000));
		assertThat(this.keys.most(true)).singleElement().satisfies((key) -> assertThat(key.key()).hasSize(128));
	}

	@Test
	void keysThatNobodyMaySeeAreNotKept() {
		RejectedKeys hashed = new RejectedKeys(false);
		hashed.add("ada", (key) -> "hash");
		assertThat(hashed.most(true)).containsExactly(new RejectedKey(null, "hash", 1, 0));
	}

}
