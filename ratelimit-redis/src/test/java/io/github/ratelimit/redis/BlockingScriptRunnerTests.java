package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.test.ManualClock;
import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisClusterNode.SlotRange;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisKeyCommands;
import org.springframework.data.redis.connection.RedisNode.NodeType;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Looks for the servers of a cluster, whose client blocks, over connections whose calls
 * all fail.
 */
class BlockingScriptRunnerTests {

	private static final RedisConnectionFailureException FAILURE = new RedisConnectionFailureException("for this test");

	private final ManualClock clock = ManualClock.atMidnight();

	private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();

	private final RedisKeyCommands keys = mock();

	private final RedisConnectionFactory factory = factory();

	private RedisConnectionFactory factory() {
		RedisScriptingCommands scripts = mock();
		given(scripts.evalSha(anyString(), any(ReturnType.class), anyInt(), any(byte[][].class))).willThrow(FAILURE);
		RedisClusterConnection connection = mock();
		given(connection.scriptingCommands()).willReturn(scripts);
		given(connection.keyCommands()).willReturn(this.keys);
		given(connection.clusterGetNodes()).willReturn(List.of(RedisClusterNode.newRedisClusterNode()
			.listeningAt("localhost", 1)
			.promotedAs(NodeType.MASTER)
			.serving(new SlotRange(0, ClusterSlotHashUtil.SLOT_COUNT - 1))
			.build()));

		RedisConnectionFactory factory = mock();
		given(factory.getConnection()).willReturn(connection);
		return factory;
	}

	private void fail(ScriptRunner runner) {
		assertThatException().isThrownBy(() -> start(runner).await());
	}

	private static PendingCall<byte[]> start(ScriptRunner runner) {
		return start(runner, Duration.ofHours(1));
	}

	private static PendingCall<byte[]> start(ScriptRunner runner, Duration timeout) {
		ScriptCall<byte[]> call = ScriptCall.of(runner, ScriptCall.Script.of("", ""), new byte[][] { { 1 } },
				new byte[0][], (answer) -> answer);
		return runner.start(call, Deadline.after(timeout));
	}

	@Test
	void callForWhichThereIsNoRoomSaysNothingAboutTheServer() {
		CountDownLatch answered = new CountDownLatch(1);
		RedisConnectionFactory slow = mock();
		given(slow.getConnection()).willAnswer((call) -> {
			answered.await();
			throw FAILURE;
		});
		try (BlockingScriptRunner runner = new BlockingScriptRunner(slow, false, BlockingScriptRunner.NOTHING, "")) {
			PendingCall<byte[]> first = start(runner);
			PendingCall<byte[]> last = first;
			while (!last.isDone()) {
				last = start(runner);
			}

			assertThat(first.isDone()).isFalse();
			assertThatExceptionOfType(StoreCallException.class).isThrownBy(last::await)
				.withMessage("too many requests are waiting for an answer")
				.returns(StoreCallException.Blame.CALLER, StoreCallException::blame);
		}
		finally {
			answered.countDown();
		}
	}

	@Test
	void callWhoseKeysAreBeingMovedLetsTheServersMoveThem() {
		AtomicInteger asked = new AtomicInteger();
		RedisConnectionFactory moving = mock();
		given(moving.getConnection()).willAnswer((call) -> {
			asked.incrementAndGet();
			throw new RedisSystemException("for this test",
					new RedisCommandExecutionException("TRYAGAIN Multiple keys request during rehashing of slot"));
		});
		try (BlockingScriptRunner runner = new BlockingScriptRunner(moving, false, BlockingScriptRunner.NOTHING, "")) {
			PendingCall<byte[]> call = start(runner, Duration.ofMillis(100));
			assertThatException().isThrownBy(call::await);
			assertThat(asked).hasValueBetween(1, 75);
		}
	}

	@Test
	void whatWasFoundIsNotLookedForAgainWhenAnotherSearchHasBegun() {
		given(this.keys.pTtl(any())).willReturn(1L).willThrow(FAILURE);
		try (BlockingScriptRunner runner = new BlockingScriptRunner(this.factory, true, BlockingScriptRunner.NOTHING,
				"", this.clock, this.later::add)) {
			fail(runner);
			Runnable firstAgain = this.later.remove();
			TestRedis.await(() -> {
				this.clock.advance(Duration.ofSeconds(1));
				fail(runner);
				return !this.later.isEmpty();
			});

			firstAgain.run();
			assertThat(this.later).hasSize(1);
			this.later.remove().run();
			assertThat(this.later).hasSize(1);
		}
	}

}
