package io.github.ratelimit.redis;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which threads run a call while servers come and go.
 */
class BlockingThreadsTests {

	private static final int CALLS = 5000;

	private final BlockingThreads threads = new BlockingThreads();

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void noCallFailsWhileItsServerIsForgottenAndFoundAgain() throws Exception {
		AtomicBoolean done = new AtomicBoolean();
		CompletableFuture<Void> forgetting = CompletableFuture.runAsync(() -> {
			while (!done.get()) {
				this.threads.retain(Set.of());
			}
		});
		try {
			for (int i = 0; i < CALLS; i++) {
				this.threads.submit("server", BlockingScriptRunner.NOTHING).get(1, TimeUnit.MINUTES);
			}
		}
		finally {
			done.set(true);
			forgetting.join();
		}
	}

	@Test
	void aCallThatWaitsForAServerThatIsForgottenGoesOn() throws Exception {
		CountDownLatch forgotten = new CountDownLatch(1);
		AtomicBoolean interrupted = new AtomicBoolean();
		Future<?> call = this.threads.submit("server", () -> {
			try {
				forgotten.await();
			}
			catch (InterruptedException ex) {
				interrupted.set(true);
			}
		});
		this.threads.retain(Set.of("another server"));
		forgotten.countDown();
		call.get(1, TimeUnit.MINUTES);
		assertThat(interrupted).isFalse();
	}

	@Test
	void serversBeyondTheFirstShareTheThreadsOfThoseThatAreNotKnown() {
		List<ThreadPoolExecutor> own = of("server", BlockingThreads.MAX_SERVERS);
		assertThat(own).doesNotHaveDuplicates();
		ThreadPoolExecutor shared = this.threads.of("");
		assertThat(own).doesNotContain(shared);
		assertThat(of("server", BlockingThreads.MAX_SERVERS)).isEqualTo(own);
		assertThat(of("one more", 3)).containsOnly(shared);

		this.threads.retain(Set.of());
		assertThat(this.threads.of("")).isSameAs(shared);
		assertThat(of("one more", 3)).doesNotHaveDuplicates().doesNotContain(shared);
	}

	private List<ThreadPoolExecutor> of(String server, int number) {
		return IntStream.range(0, number).mapToObj((i) -> this.threads.of(server + i)).toList();
	}

	@Test
	void onceTheyAreClosedThreadsOfNoServerRunACall() {
		this.threads.submit("known", BlockingScriptRunner.NOTHING);
		this.threads.close();
		assertThat(this.threads.isClosed()).isTrue();
		for (String server : Set.of("known", "new", "")) {
			assertThatExceptionOfType(RejectedExecutionException.class)
				.isThrownBy(() -> this.threads.submit(server, BlockingScriptRunner.NOTHING))
				.withMessage("its connections are closed");
		}
	}

}
