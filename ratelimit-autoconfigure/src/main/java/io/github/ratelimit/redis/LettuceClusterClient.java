package io.github.ratelimit.redis;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connects to single servers of a cluster as the application's own client would, with its
 * settings, credentials and threads, but for one thing: what was asked over a connection
 * that is lost is not sent again, because the server may have done it.
 */
final class LettuceClusterClient {

	private static final long SEEDS_SECONDS = 5;

	private final LettuceConnectionFactory factory;

	private @Nullable RedisClusterClient cluster;

	private @Nullable RedisClient single;

	private boolean closed;

	LettuceClusterClient(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * The cluster as the application's client knows it. It may have to ask for it.
	 */
	Collection<RedisClusterNode> seeds() {
		return List.copyOf(cluster().getPartitions());
	}

	/**
	 * The cluster as the application's client finds it by asking the nodes that it knows
	 * or, if none answers, those that it began with.
	 */
	Collection<RedisClusterNode> refreshedSeeds() {
		RedisFailures.translate(
				() -> cluster().refreshPartitionsAsync().toCompletableFuture().get(SEEDS_SECONDS, TimeUnit.SECONDS));
		return seeds();
	}

	private RedisClusterClient cluster() {
		return (RedisClusterClient) this.factory.getRequiredNativeClient();
	}

	StatefulRedisConnection<byte[], byte[]> connect(String host, int port) {
		RedisClient client = client();
		RedisURI uri = RedisURI.builder(settings()).withHost(host).withPort(port).build();
		return client.connect(ByteArrayCodec.INSTANCE, uri);
	}

	/*
	 * All but the application's name, which Lettuce does not note with a node.
	 */
	private RedisURI settings() {
		RedisURI known = RedisURI.builder(seeds().iterator().next().getUri()).build();
		known.setClientName(this.factory.getClientName());
		return known;
	}

	/*
	 * The application may have stopped and started its client.
	 */
	private synchronized RedisClient client() {
		if (this.closed) {
			throw new RedisException("the store is closed");
		}
		RedisClusterClient now = cluster();
		RedisClient client = this.single;
		if (client == null || now != this.cluster) {
			shutDown(client);
			client = RedisClient.create(now.getResources());
			client.setOptions(now.getOptions().mutate().autoReconnect(false).build());
			this.cluster = now;
			this.single = client;
		}
		return client;
	}

	/*
	 * Threads that have been stopped would log as an error that they are asked to.
	 */
	private static void shutDown(@Nullable RedisClient client) {
		if (client != null && !client.getResources().eventExecutorGroup().isShuttingDown()) {
			client.shutdownAsync(0, 0, TimeUnit.SECONDS);
		}
	}

	synchronized void close() {
		this.closed = true;
		shutDown(this.single);
		this.single = null;
	}

}
