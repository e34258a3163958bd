package io.github.ratelimit.redis;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connector that is closed while calls are under way.
 */
class LettuceConnectorTests {

	private final AtomicInteger opened = new AtomicInteger();

	@SuppressWarnings("unchecked")
	private StatefulRedisConnection<byte[], byte[]> connection(Runnable onClose) {
		this.opened.incrementAndGet();
		return (StatefulRedisConnection<byte[], byte[]>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { StatefulRedisConnection.class }, (proxy, method, arguments) -> {
					if (method.getName().startsWith("close")) {
						onClose.run();
						return CompletableFuture.completedFuture(null);
					}
					return method.getName().equals("isOpen") ? true : null;
				});
	}

	@Test
	void aConnectionsThreadThatIsWaitedForMayRetireIt() throws Exception {
		CompletableFuture<LettuceConnector> self = new CompletableFuture<>();
		AtomicBoolean retired = new AtomicBoolean();
		LettuceConnector connector = new LettuceConnector(() -> connection(() -> {
			LettuceConnector closing = self.join();
			Thread thread = new Thread(() -> closing.retire(null));
			thread.start();
			joinAtMostTenSeconds(thread);
			retired.set(!thread.isAlive());
		}));
		self.complete(connector);
		connector.connect().get(60, TimeUnit.SECONDS);
		connector.close();
		assertThat(retired).isTrue();
	}

	private static void joinAtMostTenSeconds(Thread thread) {
		try {
			thread.join(10_000);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void onceClosedItConnectsNoMore() throws Exception {
		LettuceConnector connector = new LettuceConnector(() -> connection(() -> {
		}));
		connector.connect().get(60, TimeUnit.SECONDS);
		connector.close();
		assertThat(connector.connect()).isCompletedExceptionally();
		assertThat(this.opened).hasValue(1);
	}

	@Test
	void anAttemptThatHasBegunEndsFirst() throws Exception {
		Thread closing = Thread.currentThread();
		CountDownLatch begun = new CountDownLatch(1);
		AtomicBoolean isClosing = new AtomicBoolean();
		LettuceConnector connector = new LettuceConnector(() -> {
			begun.countDown();
			TestRedis.await(() -> isClosing.get() && closing.getState() == Thread.State.TIMED_WAITING);
			return connection(() -> {
			});
		});
		CompletableFuture<LettuceConnector.Connected> attempt = connector.connect();
		assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
		isClosing.set(true);
		connector.close();
		connector.awaitAttempt();
		assertThat(attempt).isCompleted();
		assertThat(connector.current()).isNull();
	}

	@Test
	void anAttemptThatIsNeverAnsweredEndsWithItsThread() throws Exception {
		CompletableFuture<Thread> begun = new CompletableFuture<>();
		CompletableFuture<StatefulRedisConnection<byte[], byte[]>> answer = new CompletableFuture<>();
		LettuceConnector connector = new LettuceConnector(() -> {
			begun.complete(Thread.currentThread());
			try {
				return answer.get();
			}
			catch (InterruptedException | ExecutionException ex) {
				throw new RedisException(ex);
			}
		});
		CompletableFuture<LettuceConnector.Connected> attempt = connector.connect();
		Thread thread = begun.get(60, TimeUnit.SECONDS);
		connector.close();
		connector.endAttempts();
		thread.join(60_000);
		assertThat(thread.isAlive()).isFalse();
		assertThat(attempt).isCompletedExceptionally();
	}

}
