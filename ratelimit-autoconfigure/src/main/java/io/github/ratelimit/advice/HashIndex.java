package io.github.ratelimit.advice;

import java.util.Arrays;

/**
 * Finds the position of a hash in an array, with open addressing.
 */
final class HashIndex {

	private int[] slots;

	HashIndex() {
		this.slots = new int[64];
	}

	int find(long hash, long[] hashes) {
		int[] slots = this.slots;
		int mask = slots.length - 1;
		int slot = (int) hash & mask;
		while (slots[slot] != 0) {
			int position = slots[slot] - 1;
			if (hashes[position] == hash) {
				return position;
			}
			slot = (slot + 1) & mask;
		}
		return -1;
	}

	/**
	 * Adds the last of some hashes.
	 */
	void addLast(long[] hashes, int size) {
		if (size * 2 > this.slots.length) {
			this.slots = new int[this.slots.length * 2];
			rebuild(hashes, size);
		}
		else {
			add(hashes[size - 1], size);
		}
	}

	void rebuild(long[] hashes, int size) {
		Arrays.fill(this.slots, 0);
		for (int i = 0; i < size; i++) {
			add(hashes[i], i + 1);
		}
	}

	private void add(long hash, int number) {
		int mask = this.slots.length - 1;
		int slot = (int) hash & mask;
		while (this.slots[slot] != 0) {
			slot = (slot + 1) & mask;
		}
		this.slots[slot] = number;
	}

}
