package io.github.ratelimit.remote;

import java.time.Duration;
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
		CompletableFuture<String> unanswered = new CompletableFuture<>();
		CompletableFuture<String> answered = new CompletableFuture<>();
		CompletableFuture<String> patient = new CompletableFuture<>();
		CompletableFuture<Long> rest = unanswered.handle((answer, failure) -> soon.remainingNanos());
		Deadline.after(Duration.ofMinutes(1)).end(patient);
		soon.end(answered);
		soon.end(unanswered);
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
