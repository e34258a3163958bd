package io.github.ratelimit.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many lines are written, whenever what they tell of happens.
 */
class LogBudgetTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LogBudget budget = new LogBudget(this.clock::nanos);

	@Test
	void noMinuteHasMoreThanThreeLinesAndNoneIsMissing() {
		RandomCases.check(20, (random) -> {
			LogBudget budget = new LogBudget(this.clock::nanos);
			List<Long> lines = new ArrayList<>();
			for (int i = 0; i < 1000; i++) {
				this.clock.advance(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 10 : 40_000)));
				long now = this.clock.nanos();
				boolean full = lines.size() >= 3 && now - lines.get(lines.size() - 3) < Duration.ofMinutes(1).toNanos();
				assertThat(budget.take()).isEqualTo(!full);
				if (!full) {
					lines.add(now);
				}
			}
			assertThat(lines).hasSizeBetween(10, 990);
		});
	}

	@Test
	void whatIsLeftOutIsToldOnce() {
		assertThat(this.budget.leftOut("ban")).isEmpty();
		this.budget.leaveOut();
		assertThat(this.budget.leftOut("ban")).isEqualTo(". There was 1 more ban that was not logged");
		assertThat(this.budget.leftOut("ban")).isEmpty();
		for (int i = 0; i < 49_914; i++) {
			this.budget.leaveOut();
		}
		assertThat(this.budget.leftOut("ban")).isEqualTo(". There were 49,914 more bans that were not logged");
	}

}
