package io.github.ratelimit.local;

import org.jspecify.annotations.Nullable;

/**
 * The state of a key that knows under which of the policy's limits it was written.
 */
abstract class VersionedState {

	final LocalStates owner;

	VersionedState(LocalStates owner) {
		this.owner = owner;
	}

	/**
	 * What it was carried over from for a request that was then rejected. Other limits go
	 * on with that until something is taken.
	 */
	@Nullable KeyWords before() {
		return null;
	}

	/**
	 * How many bytes of the heap it takes, at most.
	 */
	abstract long bytes();

}
