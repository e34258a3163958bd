package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.RepeatedTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A call of a caller that does not wait ends at its deadline and not before, however many
 * there are, and also if there were none for a while.
 */
class DeadlineTests {

	@RepeatedTest(3)
	void whatIsNotAnsweredFailsAtItsDeadlineAndNotBefore() {
		Deadline soon = Deadline.after(Duration.ofMillis(30));
		HeldAnswer<String> unanswered = new HeldAnswer<>(soon);
		HeldAnswer<String> answered = new HeldAnswer<>(soon);
		HeldAnswer<String> patient = new HeldAnswer<>(Deadline.after(Duration.ofMinutes(1)));
		CompletableFuture<Long> rest = unanswered.handle((answer, failure) -> soon.remainingNanos());
		List.of(patient, answered, unanswered).forEach((each) -> each.later(() -> "over"));
		answered.complete("yes");
		assertThat(unanswered).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(TimeoutException.class);
		assertThat(rest).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(0L);
		assertThat(answered).isCompletedWithValue("yes");
		assertThat(patient).isNotDone();
		patient.complete("over");
	}

}
