package io.github.ratelimit.redis;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Knows which server of a cluster has which hash slot, from what several of them say. Of
 * two that claim a slot, the one of the later epoch has it, as among themselves.
 */
final class ClusterView {

	private final String[] owners = new String[ClusterSlotHashUtil.SLOT_COUNT];

	private final long[] epochs = new long[ClusterSlotHashUtil.SLOT_COUNT];

	private final Set<String> addresses = new HashSet<>();

	ClusterView() {
		Arrays.fill(this.owners, "");
	}

	/**
	 * Adds a server, which may have no slots.
	 */
	void add(String address) {
		this.addresses.add(address);
	}

	/**
	 * Notes that a server says it has a slot.
	 * @param slot the slot
	 * @param address the server's address
	 * @param epoch when it has got its slots, in the cluster's count
	 */
	void claim(int slot, String address, long epoch) {
		if (this.owners[slot].isEmpty() || epoch > this.epochs[slot]) {
			this.owners[slot] = address;
			this.epochs[slot] = epoch;
		}
	}

	/**
	 * Returns the address of the server that has a key, or an empty text if none has.
	 */
	String owner(byte[] key) {
		return this.owners[ClusterSlotHashUtil.calculateSlot(key)];
	}

	/**
	 * Returns the addresses of the servers that have slots, and an empty text where some
	 * slots have no server.
	 */
	Set<String> owners() {
		return Set.copyOf(Arrays.asList(this.owners));
	}

	/**
	 * Returns the addresses of all servers.
	 */
	Set<String> addresses() {
		return this.addresses;
	}

}
