package io.github.ratelimit.remote;

import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FixedSlotsTests {

	private static final int PLACES = 1 << 14;

	private final KeyMemory<String> places = FixedSlots.within(MemoryBudget.ofHeap()).open(100);

	@Test
	void whoComesSecondHasTheValueOfTheFirst() {
		String value = this.places.findOrAdd("key", () -> {
			this.places.findOrAdd("key", () -> "first");
			return "second";
		});
		assertThat(value).isEqualTo("first");
		assertThat(this.places.find("key")).isEqualTo("first");
	}

	@Test
	void keysWhoseHashesDifferOnlyInTheirUpperHalvesHavePlacesOfTheirOwn() {
		String one = "key";
		String other = IntStream.range(0, Integer.MAX_VALUE)
			.mapToObj((i) -> "key" + i)
			.filter((key) -> (key.hashCode() & 0xFFFF) == (one.hashCode() & 0xFFFF)
					&& ((key.hashCode() ^ one.hashCode()) >>> 16 & (PLACES - 1)) != 0)
			.findFirst()
			.orElseThrow();
		this.places.findOrAdd(one, () -> "one");
		this.places.findOrAdd(other, () -> "other");
		assertThat(this.places.find(one)).isEqualTo("one");
		assertThat(this.places.find(other)).isEqualTo("other");
	}

	@Test
	void keysTakeNoMoreThanThereIsInAllMemoriesTogether() {
		MemoryBudget budget = new MemoryBudget(200_000);
		List<KeyMemory<String>> all = List.of(FixedSlots.within(budget).open(100),
				FixedSlots.within(budget).open(200));
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
