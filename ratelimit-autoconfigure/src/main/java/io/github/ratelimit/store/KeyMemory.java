package io.github.ratelimit.store;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Remembers something of each of a policy's keys, within bounds: where there is no room,
 * keys are forgotten, those first that are least likely to be asked for again.
 *
 * @param <V> what is remembered of a key
 */
public interface KeyMemory<V> {

	/**
	 * Finds what is remembered of a key.
	 * @param key the key
	 * @return what is remembered, or {@code null}
	 */
	@Nullable V find(String key);

	/**
	 * Finds what is remembered of a key, or begins to remember it.
	 * @param key the key
	 * @param first creates what to remember
	 * @return what is remembered now, unless it is forgotten again
	 */
	V findOrAdd(String key, Supplier<? extends V> first);

	/**
	 * Where memories come from.
	 */
	interface Provider {

		/**
		 * Opens an empty memory.
		 * @param <V> what is to be remembered of a key
		 * @param bytes how many bytes of the heap that takes at most, beside the key
		 * @return the memory
		 */
		<V> KeyMemory<V> open(long bytes);

	}

}
