package io.github.ratelimit.redis;

import java.util.List;
import java.util.concurrent.CompletionException;

import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.remote.StoreCallException.Blame;

import org.springframework.core.NestedExceptionUtils;

/**
 * Says of each failure of a call of Redis what was wrong.
 */
final class RedisFailures {

	private static final List<String> NO_WRITES = List.of("OOM ", "MISCONF", "NOREPLICAS");

	private static final List<String> REPLICA = List.of("READONLY", "MASTERDOWN");

	private RedisFailures() {
	}

	/**
	 * Makes any exception of a client library a failure of Redis. An error of the virtual
	 * machine is none, and passes.
	 */
	static StoreCallException of(Throwable cause) {
		if (cause instanceof Error error) {
			throw error;
		}
		if (cause instanceof CompletionException && cause.getCause() != null) {
			return of(cause.getCause());
		}
		if (cause instanceof StoreCallException known) {
			return known;
		}
		String message = message(cause);
		return new StoreCallException(message, cause, blame(message));
	}

	private static String message(Throwable cause) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(cause);
		if (root.getMessage() == null) {
			return root.getClass().getSimpleName();
		}
		return root.getMessage();
	}

	/*
	 * An error of a script has the error's name somewhere inside.
	 */
	private static Blame blame(String message) {
		if (message.contains("WRONGTYPE")) {
			return Blame.KEY;
		}
		if (message.startsWith("TRYAGAIN")) {
			return Blame.MOVE;
		}
		if (REPLICA.stream().anyMatch(message::contains)) {
			return Blame.NODE;
		}
		if (NO_WRITES.stream().anyMatch(message::contains)) {
			return Blame.WRITES;
		}
		return Blame.SERVER;
	}

}
