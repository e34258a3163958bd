package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * A subscription that is closed while it begins.
 */
class RedisSubscriptionTests {

	private final RedisConnectionFactory factory = mock();

	private final CountDownLatch begun = new CountDownLatch(1);

	private final AtomicBoolean isClosing = new AtomicBoolean();

	private final AtomicReference<Thread> thread = new AtomicReference<>();

	private final CompletableFuture<Void> answer = new CompletableFuture<>();

	/**
	 * As a client does that was stopped meanwhile.
	 */
	private Void neverAnswer() {
		this.thread.set(Thread.currentThread());
		this.begun.countDown();
		try {
			return this.answer.get();
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void closeOnceBegun(Duration closing) throws Exception {
		try (RedisSubscription subscription = new RedisSubscription(this.factory, new byte[0], closing)) {
			subscription.add(() -> {
			});
			assertThat(this.begun.await(60, TimeUnit.SECONDS)).isTrue();
			this.isClosing.set(true);
		}
		this.thread.get().join(60_000);
	}

	@Test
	void aThreadWhoseConnectionNeverComesEnds() throws Exception {
		given(this.factory.getConnection()).willAnswer((call) -> neverAnswer());
		closeOnceBegun(Duration.ofMillis(1));
		assertThat(this.thread.get().isAlive()).isFalse();
	}

	@Test
	void aThreadWhoseSubscriptionIsNeverAnsweredEnds() throws Exception {
		RedisConnection connection = mock();
		willAnswer((call) -> neverAnswer()).given(connection).subscribe(any(), any(byte[][].class));
		given(this.factory.getConnection()).willReturn(connection);
		closeOnceBegun(Duration.ofMillis(1));
		assertThat(this.thread.get().isAlive()).isFalse();
	}

	@Test
	void aThreadThatConnectsAtThatMomentEndsFirst() throws Exception {
		Thread closing = Thread.currentThread();
		AtomicBoolean interrupted = new AtomicBoolean(true);
		given(this.factory.getConnection()).willAnswer((call) -> {
			this.thread.set(Thread.currentThread());
			this.begun.countDown();
			TestRedis.await(() -> this.isClosing.get() && closing.getState() == Thread.State.TIMED_WAITING);
			interrupted.set(Thread.currentThread().isInterrupted());
			throw new IllegalStateException("there is no server");
		});
		closeOnceBegun(Duration.ofMinutes(1));
		assertThat(interrupted).isFalse();
		assertThat(this.thread.get().isAlive()).isFalse();
	}

}
