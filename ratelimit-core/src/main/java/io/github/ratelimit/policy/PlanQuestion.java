package io.github.ratelimit.policy;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The question which plan the caller of one call has, for a policy with an expression.
 *
 * @since 0.1.0
 */
public interface PlanQuestion {

	/**
	 * Whether finding the answer takes no longer than computing a key.
	 * @return {@code false} if it is better asked on another thread
	 */
	boolean isQuick();

	/**
	 * Whether asking may take its time, wherever it is asked.
	 * @return {@code false} if a caller is better off asking than waiting for another
	 */
	boolean mayBlock();

	/**
	 * How much of its call it keeps until it is answered.
	 * @return bytes of the heap
	 */
	default long bytes() {
		return 0;
	}

	/**
	 * Finds out the plan, without waiting for one that is not there yet.
	 * @return the name of the plan, or {@code null} for none. It may complete later, or
	 * with an exception or a cancellation, which is counted and logged
	 * @throws RuntimeException if it cannot be found out, which is counted and logged
	 */
	CompletableFuture<@Nullable String> ask();

	/**
	 * The same question on a thread on which there is no request.
	 * @return the question, with what it needs of the request
	 * @throws RuntimeException if something cannot be read, which is counted and logged
	 */
	PlanQuestion detached();

}
