package io.github.ratelimit.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The outcome of a call that was made on the caller's thread.
 */
final class Completed {

	private Completed() {
	}

	static <T> CompletionStage<T> of(Supplier<T> call) {
		try {
			return CompletableFuture.completedStage(call.get());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

}
