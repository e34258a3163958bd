package io.github.ratelimit.policy;

import java.util.stream.IntStream;

import io.github.ratelimit.local.JavaProcess;
import io.github.ratelimit.store.MemoryBudget;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is remembered of plans stays within a number of keys and of bytes, and whose keys
 * are forgotten if it would not.
 */
class PlanMemoryTests {

	private static final String WIDE = "\u3042".repeat(250);

	private static final long BYTES = MemoryBudget.ofEntry(256) + PlanAnswer.BYTES;

	private final MemoryBudget budget = new MemoryBudget(1000 * BYTES);

	private final PlanMemory memory = new PlanMemory(100_000, this.budget);

	private static String key(int i) {
		return WIDE + (100_000 + i);
	}

	private long remembered(int from, int to) {
		return IntStream.range(from, to).filter((i) -> this.memory.find(key(i)) != null).count();
	}

	@Test
	void inventedKeysTakeNoMoreThanThereIs() {
		for (int i = 0; i < 5000; i++) {
			this.memory.add(key(i));
			assertThat(this.budget.used()).isLessThanOrEqualTo(this.budget.maximum());
		}
		assertThat(this.memory.find(key(4999))).isNotNull();
		assertThat(remembered(0, 5000)).isBetween(900L, 1000L);
		assertThat(this.budget.used()).isEqualTo(this.memory.bytes()).isEqualTo(remembered(0, 5000) * BYTES);
	}

	@Test
	void keysThatAreAskedForAgainStay() {
		for (int i = 0; i < 500; i++) {
			this.memory.add(key(i));
		}
		for (int i = 1000; i < 10_000; i++) {
			if (i % 100 == 0) {
				remembered(0, 500);
			}
			this.memory.add(key(i));
		}
		assertThat(remembered(0, 500)).isGreaterThan(450);
	}

	@Test
	void aFloodOfOnePolicyDrivesOutNoneOfAnothers() {
		PlanMemory other = new PlanMemory(100_000, this.budget);
		IntStream.range(0, 400).forEach((i) -> other.add(key(i)));
		IntStream.range(0, 5000).forEach((i) -> this.memory.add(key(i)));
		assertThat(other.bytes()).isEqualTo(400 * BYTES);
	}

	@Test
	void whatIsForgottenIsFree() {
		this.memory.add(key(1));
		this.memory.add(key(1));
		this.memory.forget(key(1));
		this.memory.forget(key(1));
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void inventedKeysOfFivePoliciesEndNoProcessWithAHeapOf96Megabytes() throws Exception {
		JavaProcess flood = JavaProcess.run(PlanFlood.class, "-Xmx96m");
		assertThat(flood.exit()).as(flood.text()).isZero();
		assertThat(flood.text()).contains("asked for 250000").doesNotContain("OutOfMemoryError");
	}

}
