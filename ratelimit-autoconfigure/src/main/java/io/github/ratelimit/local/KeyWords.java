package io.github.ratelimit.local;

/**
 * The words of a key's state, and the limits that wrote them.
 *
 * @param owner the limits
 * @param words the words of their algorithm
 */
record KeyWords(LocalStates owner, long[] words) {

	long bytes() {
		return KeyWeight.OWNER + KeyWeight.ofWords(this.words.length);
	}

	boolean isIdle() {
		return this.owner.algorithm().isIdle(this.words, 0, this.owner.clock.nanos());
	}

}
