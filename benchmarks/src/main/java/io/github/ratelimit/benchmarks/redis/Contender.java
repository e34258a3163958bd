package io.github.ratelimit.benchmarks.redis;

import java.util.concurrent.CompletableFuture;

/**
 * Something that decides in Redis.
 */
interface Contender extends AutoCloseable {

	/**
	 * Stores what must be there before the first decision. The database is empty.
	 * @throws Exception if that fails
	 */
	default void prepare() throws Exception {
	}

	/**
	 * Decides on a request of one permit.
	 * @param key the number of the key
	 * @return whether it may pass
	 * @throws Exception if nothing was decided
	 */
	boolean decide(int key) throws Exception;

	/**
	 * Decides in the same way for a caller that does not wait.
	 * @param key the number of the key
	 * @return what {@link #isAllowed} reads
	 */
	default CompletableFuture<?> decideLater(int key) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Reads an answer, without a stage of its own, which would count as part of it.
	 * @param answer as {@link #decideLater} gave it
	 * @return whether the request may pass
	 */
	default boolean isAllowed(Object answer) {
		return (Boolean) answer;
	}

	@Override
	void close();

}
