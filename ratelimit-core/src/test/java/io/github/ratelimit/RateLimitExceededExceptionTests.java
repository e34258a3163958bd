package io.github.ratelimit;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A rejection is found in what a call has failed with, whatever has executed the call.
 */
class RateLimitExceededExceptionTests {

	private final RateLimitExceededException rejection = new RateLimitExceededException(
			RateLimitPolicy.of("policy",
					RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofMinutes(1))),
			RateLimitDecisions.rejected(0, 0, 1, 1, 1));

	@Test
	void aRejectionIsFoundAsItIsAndWithinTheFailuresOfFutures() {
		assertThat(RateLimitExceededException.find(this.rejection)).isSameAs(this.rejection);
		Throwable wrapped = new ExecutionException(new CompletionException(this.rejection));
		assertThat(RateLimitExceededException.find(wrapped)).isSameAs(this.rejection);
	}

	@Test
	void whatTheRejectionHasCausedOtherwiseIsNone() {
		Throwable caused = new IllegalStateException(this.rejection);
		assertThat(RateLimitExceededException.find(caused)).isNull();
		assertThat(RateLimitExceededException.find(new CompletionException(caused))).isNull();
		assertThat(RateLimitExceededException.find(null)).isNull();
	}

	@Test
	void otherWrappersAreThoseThatAreNamedAndTheirSubclasses() {
		Throwable wrapped = new CompletionException(new IllegalStateException(this.rejection));
		assertThat(RateLimitExceededException.find(wrapped, RuntimeException.class)).isSameAs(this.rejection);
		assertThat(RateLimitExceededException.find(wrapped, IllegalStateException.class)).isSameAs(this.rejection);
		assertThat(RateLimitExceededException.find(wrapped, UncheckedIOException.class)).isNull();
	}

	@Test
	void exceptionsThatCauseEachOtherHoldNobodyUp() {
		Exception first = new Exception();
		first.initCause(new Exception(first));
		assertThat(RateLimitExceededException.find(first, Exception.class)).isNull();
	}

}
