package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A test asks no server but its own, and has one although somebody else takes its port.
 */
class TestRedisTests {

	@Test
	void doesNotTakeAnotherServerAtItsPortForItsOwn() {
		try (TestRedis another = TestRedis.start()) {
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> TestRedis.at(another.port()))
				.withMessageContaining("Redis does not start")
				.withMessageContaining("Address already in use");
		}
	}

	@Test
	void takesAnotherPortIfSomebodyHasTakenItsOwnMeanwhile() {
		try (TestRedis another = TestRedis.start(); TestRedis redis = TestRedis.start(takenMeanwhile(another.port()))) {
			assertThat(redis.call("PING")).startsWith("+PONG");
			assertThat(redis.port()).isNotEqualTo(another.port());
		}
	}

	@Test
	void aSentinelTakesAnotherPortIfSomebodyHasTakenItsOwnMeanwhile() {
		try (TestRedis master = TestRedis.start();
				TestRedis replica = TestRedis.replicaOf(master);
				TestRedis sentinel = TestRedis.sentinelOf(master, takenMeanwhile(replica.port()))) {
			assertThat(sentinel.call("PING")).startsWith("+PONG");
			assertThat(sentinel.port()).isNotEqualTo(replica.port());
		}
	}

	private static IntSupplier takenMeanwhile(int port) {
		Iterator<IntSupplier> ports = Stream.<IntSupplier>of(() -> port, TestPorts::next).iterator();
		return () -> ports.next().getAsInt();
	}

	@Test
	void startsAgainWhenItsPortIsFreeAgain() throws Exception {
		try (TestRedis redis = TestRedis.start()) {
			redis.kill();
			CompletableFuture<Void> started;
			try (ServerSocket taken = new ServerSocket(redis.port(), 50, InetAddress.getLoopbackAddress())) {
				taken.setSoTimeout(60_000);
				started = CompletableFuture.runAsync(redis::startAgain);
				turnAway(taken, 100);
				assertThat(started).isNotDone();
			}
			started.join();
			assertThat(redis.call("PING")).startsWith("+PONG");
		}
	}

	private static void turnAway(ServerSocket taken, int callers) throws IOException {
		for (int i = 0; i < callers; i++) {
			taken.accept().close();
		}
	}

}
