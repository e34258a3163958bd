package io.github.ratelimit.redis;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The only server, or the one that the Sentinels name at present.
 */
final class LettuceServer extends LettuceScriptRunner {

	private final LettuceNode node;

	private final String address;

	private final @Nullable SentinelWatch watch;

	LettuceServer(LettuceConnectionFactory factory) {
		this.node = new LettuceNode("",
				() -> ((RedisClient) factory.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE),
				this.scheduler);
		RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
		this.address = (sentinels == null) ? factory.getHostName() + ":" + factory.getPort() : "";
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
	public boolean isCluster() {
		return false;
	}

	@Override
	public Set<String> nodes() {
		return Set.of(this.node.name());
	}

	@Override
	public String server() {
		return this.address;
	}

	@Override
	LettuceNode known(byte[] key) {
		return this.node;
	}

	@Override
	CompletionStage<LettuceNode> find(byte[] key) {
		return CompletableFuture.completedFuture(this.node);
	}

	@Override
	LettuceNode redirected(LettuceNode node, String address) {
		return node;
	}

	@Override
	void suspect() {
	}

	@Override
	public void close() {
		super.close();
		if (this.watch != null) {
			this.watch.close();
		}
		LettuceNode.close(Set.of(this.node));
	}

}
