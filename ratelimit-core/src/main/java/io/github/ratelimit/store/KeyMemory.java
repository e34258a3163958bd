package io.github.ratelimit.store;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A bounded map from a policy's keys to values. Where there is no room, it drops keys,
 * first those that are least likely to be asked for again.
 *
 * @param <V> the type of the values
 * @since 0.1.0
 */
public interface KeyMemory<V> {

	/**
	 * Finds the value of a key.
	 * @param key the key
	 * @return the value, or {@code null}
	 */
	@Nullable V find(String key);

	/**
	 * Finds the value of a key, or adds one.
	 * @param key the key
	 * @param first creates the value to add
	 * @return the value, which the memory may drop at any time
	 */
	V findOrAdd(String key, Supplier<? extends V> first);

	/**
	 * Opens memories.
	 */
	interface Provider {

		/**
		 * Opens an empty memory.
		 * @param <V> the type of the values
		 * @param bytes how many bytes of the heap a value takes at most
		 * @return the memory
		 */
		<V> KeyMemory<V> open(long bytes);

	}

}
