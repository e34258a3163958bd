package io.github.ratelimit.policy;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which keys' plans are remembered.
 */
class PlanMemoryTests {

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
