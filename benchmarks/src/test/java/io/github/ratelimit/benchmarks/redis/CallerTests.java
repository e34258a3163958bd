package io.github.ratelimit.benchmarks.redis;

import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A caller whose time is up before it began has asked nevertheless.
 */
class CallerTests {

	private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

	private final Caller caller = new Caller(new Contender() {

		@Override
		public boolean decide(int key) {
			return true;
		}

		@Override
		public CompletableFuture<?> decideLater(int key) {
			return CallerTests.this.answer;
		}

		@Override
		public void close() {
		}

	}, new SplittableRandom(1), 1, new AtomicBoolean(true), true);

	@Test
	void aThreadAsksOnceAtLeast() throws Exception {
		assertThat(this.caller.ask().decisions()).isOne();
	}

	@Test
	void anAsynchronousCallerAsksOnceAtLeast() {
		CompletableFuture<Tally> tally = this.caller.askLater();
		assertThat(tally).isNotDone();
		this.answer.complete(true);
		assertThat(tally.join().decisions()).isOne();
	}

	@Test
	void anAnswerThatIsThereAlreadyCountsOnce() {
		this.answer.complete(true);
		assertThat(this.caller.askLater().join().decisions()).isOne();
	}

}
