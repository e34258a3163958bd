package io.github.ratelimit.redis;

import java.util.concurrent.Callable;

import io.github.ratelimit.remote.StoreCallException;
import org.jspecify.annotations.Nullable;

/**
 * How one of several calls went.
 *
 * @param bytes the answer, or {@code null} if there was none
 * @param failure why there was none, or {@code null}
 */
record ScriptAnswer(byte @Nullable [] bytes, @Nullable StoreCallException failure) {

	static ScriptAnswer of(byte[] bytes) {
		return new ScriptAnswer(bytes, null);
	}

	static ScriptAnswer of(StoreCallException failure) {
		return new ScriptAnswer(null, failure);
	}

	/**
	 * Waits for an answer. A failure is one of this call alone, also one that a client
	 * library does not declare.
	 * @param call waits, or fails
	 */
	static ScriptAnswer await(Callable<byte[]> call) {
		try {
			return of(call.call());
		}
		catch (Exception ex) {
			return of(RedisFailures.of(ex));
		}
	}

}
