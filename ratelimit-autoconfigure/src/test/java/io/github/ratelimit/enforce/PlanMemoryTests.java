package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which keys' plans are remembered.
 */
class PlanMemoryTests {

	@Test
	void whatWasAddedIsFoundUntilItIsForgotten() {
		PlanMemory memory = new PlanMemory(10);
		assertThat(memory.find("key")).isNull();
		PlanAnswer added = memory.add("key");
		assertThat(memory.find("key")).isSameAs(added);
		assertThat(memory.add("key")).isSameAs(added);
		assertThat(memory.size()).isOne();
		memory.forget("key");
		assertThat(memory.find("key")).isNull();
		assertThat(memory.size()).isZero();
	}

	@Test
	void asManyKeysAreRememberedAsMayBe() {
		PlanMemory memory = new PlanMemory(3);
		for (int i = 0; i < 10; i++) {
			PlanAnswer added = memory.add("key" + i);
			assertThat(memory.size()).isEqualTo(Math.min(i + 1, 3));
			assertThat(memory.find("key" + i)).isSameAs(added);
		}
	}

	@Test
	void aRequestLooksAtFewOfManyKeysThatAreInUse() {
		PlanMemory memory = new PlanMemory(500);
		List<PlanAnswer> answers = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			answers.add(memory.add("key" + i));
			memory.find("key" + i);
		}
		memory.add("more");
		assertThat(memory.size()).isEqualTo(500);
		assertThat(answers).filteredOn((each) -> !each.used).hasSizeBetween(63, 64);
	}

}
