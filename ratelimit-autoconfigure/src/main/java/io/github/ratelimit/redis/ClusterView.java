package io.github.ratelimit.redis;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

import io.lettuce.core.RedisURI;
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
	 * @param own its own address, which it may not know, or {@code null} for no server's
	 */
	ClusterView add(Collection<RedisClusterNode> nodes, @Nullable String own) {
		for (RedisClusterNode node : nodes) {
			String address = address(node, own);
			if (address != null) {
				this.addresses.add(address);
				claim(node, address);
			}
		}
		return this;
	}

	private void claim(RedisClusterNode node, String address) {
		if (node.is(NodeFlag.UPSTREAM)) {
			node.forEachSlot((slot) -> {
				if (this.owners[slot] == null || node.getConfigEpoch() > this.epochs[slot]) {
					this.owners[slot] = address;
					this.epochs[slot] = node.getConfigEpoch();
				}
			});
		}
	}

	private static @Nullable String address(RedisClusterNode node, @Nullable String own) {
		RedisURI uri = node.getUri();
		if (node.is(NodeFlag.NOADDR) || node.is(NodeFlag.HANDSHAKE)) {
			return null;
		}
		if (uri == null) {
			return node.is(NodeFlag.MYSELF) ? own : null;
		}
		return (uri.getPort() != 0) ? uri.getHost() + ":" + uri.getPort() : null;
	}

	/**
	 * Whether no server has any slot, as one says that was taken out of its cluster.
	 */
	boolean isEmpty() {
		return Arrays.stream(this.owners).allMatch(Objects::isNull);
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
