package io.github.ratelimit.redis;

import java.net.SocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The only server, or the one that the Sentinels name at present.
 */
final class LettuceServer extends LettuceScriptRunner {

	private final LettuceConnectionFactory factory;

	private final LettuceNode node;

	private final @Nullable RedisSentinelConfiguration sentinels;

	private volatile @Nullable StatefulRedisSentinelConnection<String, String> sentinel;

	private @Nullable SocketAddress master;

	LettuceServer(LettuceConnectionFactory factory) {
		this.factory = factory;
		this.node = new LettuceNode("", () -> client().connect(ByteArrayCodec.INSTANCE), this.scheduler);
		this.sentinels = factory.getSentinelConfiguration();
	}

	private RedisClient client() {
		return (RedisClient) this.factory.getRequiredNativeClient();
	}

	@Override
	public void connect() {
		this.node.connect();
		if (this.sentinels != null) {
			String name = Objects.requireNonNull(this.sentinels.getMaster()).getName();
			noteLook(this.scheduler.scheduleWithFixedDelay(() -> look(String.valueOf(name)), 0, PAUSE.toMillis(),
					TimeUnit.MILLISECONDS));
		}
	}

	/*
	 * A master that is replaced while it is well answers on, and what it still takes is
	 * lost. A Sentinel is asked over a new connection each time that there is no answer,
	 * because it may lead to another one.
	 */
	private void look(String name) {
		try {
			SocketAddress now = sentinelConnection().sync().getMasterAddrByName(name);
			if (now != null && this.master != null && !now.equals(this.master)) {
				this.node.renew();
			}
			if (now != null) {
				this.master = now;
			}
		}
		// the scheduler would stop repeating it
		catch (RuntimeException | Error ex) {
			closeSentinel();
		}
	}

	private StatefulRedisSentinelConnection<String, String> sentinelConnection() {
		StatefulRedisSentinelConnection<String, String> open = this.sentinel;
		if (open != null && open.isOpen()) {
			return open;
		}
		closeSentinel();
		StatefulRedisSentinelConnection<String, String> opened = client().connectSentinel();
		opened.setTimeout(TIMEOUT);
		this.sentinel = opened;
		return opened;
	}

	/*
	 * Closes the connection, unless the application's client has done so, which is
	 * stopped before.
	 */
	private void closeSentinel() {
		StatefulRedisSentinelConnection<String, String> open = this.sentinel;
		this.sentinel = null;
		if (open != null && !(open instanceof RedisChannelHandler<?, ?> handler && handler.isClosed())) {
			open.closeAsync();
		}
	}

	@Override
	public String server() {
		if (this.sentinels != null || this.factory.getSocketConfiguration() != null) {
			return "";
		}
		return this.factory.getHostName() + ":" + this.factory.getPort();
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
	public void close() {
		super.close();
		closeSentinel();
		LettuceNode.close(Set.of(this.node));
	}

}
