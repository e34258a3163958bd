package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The only server, or the one that the Sentinels name at present.
 */
final class LettuceServer implements LettuceServers {

	private static final Duration ANSWERS_OF_A_FORMER_MASTER = Duration.ofSeconds(1);

	private final LettuceNode node;

	private final CompletableFuture<LettuceNode> found;

	LettuceServer(LettuceConnectionFactory factory, ScheduledExecutorService scheduler) {
		this.node = new LettuceNode("",
				() -> ((RedisClient) factory.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE), scheduler);
		this.found = CompletableFuture.completedFuture(this.node);
		RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
		if (sentinels != null) {
			String master = String.valueOf(sentinels.getMaster().getName());
			new SentinelWatch(factory, master, () -> this.node.renew(ANSWERS_OF_A_FORMER_MASTER)).begin(scheduler);
		}
	}

	@Override
	public void connect() {
		this.node.connect(false);
	}

	@Override
	public LettuceNode known(byte[] key) {
		return this.node;
	}

	@Override
	public CompletionStage<LettuceNode> find(byte[] key) {
		return this.found;
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
		this.node.close();
	}

}
