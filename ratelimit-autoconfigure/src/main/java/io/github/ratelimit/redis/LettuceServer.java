package io.github.ratelimit.redis;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The only server, or the one that the Sentinels name at present.
 */
final class LettuceServer implements LettuceServers {

	private final LettuceNode node;

	private final @Nullable SentinelWatch watch;

	LettuceServer(LettuceConnectionFactory factory, ScheduledExecutorService scheduler) {
		this.node = new LettuceNode("",
				() -> ((RedisClient) factory.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE), scheduler);
		RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
		this.watch = (sentinels != null)
				? new SentinelWatch(factory, Objects.requireNonNull(sentinels.getMaster()).getName(), this.node::renew)
				: null;
	}

	@Override
	public void connect() {
		this.node.connect();
		if (this.watch != null) {
			this.watch.begin();
		}
	}

	@Override
	public LettuceNode known(byte[] key) {
		return this.node;
	}

	@Override
	public CompletionStage<LettuceNode> find(byte[] key) {
		return CompletableFuture.completedFuture(this.node);
	}

	@Override
	public LettuceNode redirected(LettuceNode node, String address) {
		return node;
	}

	@Override
	public void suspect() {
	}

	@Override
	public Set<String> names() {
		return Set.of(this.node.name());
	}

	@Override
	public void close() {
		if (this.watch != null) {
			this.watch.close();
		}
		LettuceNode.close(Set.of(this.node));
	}

}
