package io.github.ratelimit.remote;

import java.util.stream.IntStream;

import io.github.ratelimit.store.KeyMemory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FixedPlacesTests {

	private static final int PLACES = 1 << 14;

	private final KeyMemory<String> places = FixedPlaces.open(100);

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

}
