package io.github.ratelimit.remote;

import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FixedSlotsTests {

	private static final int SLOTS = 1 << 14;

	private final KeyMemory<String> slots = FixedSlots.within(MemoryBudget.ofHeap()).open(100);

	@Test
	void whoComesSecondHasTheValueOfTheFirst() {
		String value = this.slots.findOrAdd("key", () -> {
			this.slots.findOrAdd("key", () -> "first");
			return "second";
		});
		assertThat(value).isEqualTo("first");
		assertThat(this.slots.find("key")).isEqualTo("first");
	}

	@Test
	void keysWhoseHashesDifferOnlyInTheirUpperHalvesHavePlacesOfTheirOwn() {
		String one = "key";
		String other = IntStream.range(0, Integer.MAX_VALUE)
			.mapToObj((i) -> "key" + i)
			.filter((key) -> (key.hashCode() & 0xFFFF) == (one.hashCode() & 0xFFFF)
					&& ((key.hashCode() ^ one.hashCode()) >>> 16 & (SLOTS - 1)) != 0)
			.findFirst()
			.orElseThrow();
		this.slots.findOrAdd(one, () -> "one");
		this.slots.findOrAdd(other, () -> "other");
		assertThat(this.slots.find(one)).isEqualTo("one");
		assertThat(this.slots.find(other)).isEqualTo("other");
	}

	@Test
	void keysTakeNoMoreThanThereIsInAllMemoriesTogether() {
		MemoryBudget budget = new MemoryBudget(200_000);
		List<KeyMemory<String>> all = List.of(FixedSlots.within(budget).open(100), FixedSlots.within(budget).open(200));
		String wide = "\u3042".repeat(500);
		for (int i = 0; i < 5000; i++) {
			String key = wide + i;
			for (KeyMemory<String> each : all) {
				assertThat(each.findOrAdd(key, () -> "value")).isEqualTo("value");
				assertThat(each.find(key)).isEqualTo("value");
				assertThat(budget.used()).isLessThanOrEqualTo(budget.maximum());
			}
		}
		long found = all.stream()
			.mapToLong((each) -> IntStream.range(0, 5000).filter((i) -> each.find(wide + i) != null).count())
			.sum();
		assertThat(found).isBetween(100L, 200L);
	}

}
