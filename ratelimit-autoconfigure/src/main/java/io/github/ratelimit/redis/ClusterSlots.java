package io.github.ratelimit.redis;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitClock;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Which server of a cluster has which hash slot, for a client that finds it by itself and
 * does not say.
 */
final class ClusterSlots {

	private static final RateLimitClock CLOCK = RateLimitClock.system();

	private static final long PAUSE_NANOS = 1_000_000_000;

	private final RedisConnectionFactory factory;

	private final Executor executor;

	private final AtomicLong nextLook = new AtomicLong(CLOCK.nanos());

	private final Consumer<Set<String>> listener;

	private volatile String @Nullable [] owners;

	/**
	 * Creates a view that knows nothing yet.
	 * @param factory the application's connections
	 * @param executor runs what takes long
	 * @param listener receives the addresses of the servers that have slots
	 */
	ClusterSlots(RedisConnectionFactory factory, Executor executor, Consumer<Set<String>> listener) {
		this.factory = factory;
		this.executor = executor;
		this.listener = listener;
	}

	/**
	 * The address of the server that has a key, or an empty text if it is not known.
	 */
	String owner(byte[] key) {
		String[] known = this.owners;
		String owner = (known != null) ? known[ClusterSlotHashUtil.calculateSlot(key)] : "";
		if (known != null && owner.isEmpty()) {
			suspect(key);
		}
		return owner;
	}

	/**
	 * The addresses of the servers that have slots, and an empty text where some slots
	 * have no server.
	 */
	Set<String> addresses() {
		String[] known = this.owners;
		return (known != null) ? Set.copyOf(Arrays.asList(known)) : Set.of();
	}

	/**
	 * Finds out which server has which slot, in the background.
	 */
	void look() {
		this.executor.execute(this::read);
	}

	/**
	 * Finds out anew, at most once a second, because a call has failed. The key is looked
	 * at with all the patience that the client has, because it would not find a server's
	 * successor in the time that a decision has.
	 */
	void suspect(byte[] key) {
		long now = CLOCK.nanos();
		long next = this.nextLook.get();
		if (now >= next && this.nextLook.compareAndSet(next, now + PAUSE_NANOS)) {
			this.executor.execute(() -> {
				touch(key);
				read();
			});
		}
	}

	private void touch(byte[] key) {
		try (RedisClusterConnection connection = this.factory.getClusterConnection()) {
			connection.keyCommands().exists(key);
		}
		catch (RuntimeException ex) {
			// The next call finds out.
		}
	}

	private void read() {
		try (RedisClusterConnection connection = this.factory.getClusterConnection()) {
			String[] found = new String[ClusterSlotHashUtil.SLOT_COUNT];
			Arrays.fill(found, "");
			for (RedisClusterNode node : connection.clusterGetNodes()) {
				if (node.isMaster()) {
					String address = node.getHost() + ":" + node.getPort();
					node.getSlotRange().getSlots().forEach((slot) -> found[slot] = address);
				}
			}
			this.owners = found;
			this.listener.accept(addresses());
		}
		catch (RuntimeException ex) {
			// The next call finds out.
		}
	}

}
