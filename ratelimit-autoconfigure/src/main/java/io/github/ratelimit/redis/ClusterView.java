package io.github.ratelimit.redis;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import org.jspecify.annotations.Nullable;

/**
 * Which server of a cluster has which hash slot, put together from what several of them
 * say. Of two that have a slot it is the one of the later epoch, as among themselves.
 */
final class ClusterView {

	private final @Nullable String[] owners = new String[SlotHash.SLOT_COUNT];

	private final long[] epochs = new long[SlotHash.SLOT_COUNT];

	private final Set<String> addresses = new HashSet<>();

	/**
	 * Adds what a server says.
	 * @param nodes all servers that it knows
	 * @param host its own host, which it may not know
	 */
	ClusterView add(Collection<RedisClusterNode> nodes, String host) {
		for (RedisClusterNode node : nodes) {
			if (!node.is(NodeFlag.NOADDR) && !node.is(NodeFlag.HANDSHAKE)) {
				add(node, host);
			}
		}
		return this;
	}

	private void add(RedisClusterNode node, String host) {
		if (node.getUri() == null || node.getUri().getPort() == 0) {
			return;
		}
		String address = address((node.getUri().getHost() != null) ? node.getUri().getHost() : host,
				node.getUri().getPort());
		this.addresses.add(address);
		if (node.is(NodeFlag.UPSTREAM)) {
			node.forEachSlot((slot) -> {
				if (this.owners[slot] == null || node.getConfigEpoch() > this.epochs[slot]) {
					this.owners[slot] = address;
					this.epochs[slot] = node.getConfigEpoch();
				}
			});
		}
	}

	static String address(String host, int port) {
		return host + ":" + port;
	}

	/**
	 * The address of the server that has a slot, or {@code null} if none has.
	 */
	@Nullable String owner(int slot) {
		return this.owners[slot];
	}

	/**
	 * The addresses of all servers.
	 */
	Set<String> addresses() {
		return this.addresses;
	}

}
