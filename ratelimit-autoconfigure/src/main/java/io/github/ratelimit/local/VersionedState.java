package io.github.ratelimit.local;

/**
 * The state of a key that knows under which of the policy's limits it was written.
 */
abstract class VersionedState {

	final LocalStates owner;

	VersionedState(LocalStates owner) {
		this.owner = owner;
	}

	/**
	 * How many bytes of the heap it takes, at most.
	 */
	abstract long bytes();

}
