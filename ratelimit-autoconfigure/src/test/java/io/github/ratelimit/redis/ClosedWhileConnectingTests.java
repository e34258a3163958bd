package io.github.ratelimit.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * A client that is stopped while it connects never answers. Who waits for it is ended
 * with the store.
 */
class ClosedWhileConnectingTests {

	private final LettuceConnectionFactory factory = mock();

	private final CompletableFuture<Thread> begun = new CompletableFuture<>();

	private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	private <T> T neverAnswer() {
		this.begun.complete(Thread.currentThread());
		try {
			return new CompletableFuture<T>().get();
		}
		catch (InterruptedException | ExecutionException ex) {
			this.ended.complete(true);
			throw new RedisException(ex);
		}
	}

	private void awaitBegun() throws Exception {
		assertThat(this.begun.get(60, TimeUnit.SECONDS)).isNotNull();
		assertThat(this.ended).isNotDone();
	}

	@Test
	void whoAsksForTheNodesOfAClusterIsEnded() throws Exception {
		RedisClusterClient client = mock();
		given(this.factory.getRequiredNativeClient()).willReturn(client);
		given(client.getPartitions()).willAnswer((call) -> neverAnswer());
		LettuceCluster cluster = new LettuceCluster(this.factory);
		cluster.connect();
		awaitBegun();
		cluster.close();
		assertThat(this.ended.get(60, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void whoConnectsToASentinelIsEnded() throws Exception {
		RedisClient client = mock();
		given(this.factory.getRequiredNativeClient()).willReturn(client);
		given(client.connectSentinel()).willAnswer((call) -> neverAnswer());
		SentinelWatch watch = new SentinelWatch(this.factory, "master", () -> {
		});
		watch.begin();
		awaitBegun();
		watch.close();
		assertThat(this.ended.get(60, TimeUnit.SECONDS)).isTrue();
	}

}
