package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Redis did not answer in time, or with an error. Never leaves this package.
 */
final class RedisCallException extends RuntimeException {

	private static final List<String> NO_WRITES = List.of("OOM ", "MISCONF", "NOREPLICAS");

	private static final List<String> REPLICA = List.of("READONLY", "MASTERDOWN");

	private final Blame blame;

	private RedisCallException(String message, @Nullable Throwable cause, Blame blame) {
		super(message, cause, false, false);
		this.blame = blame;
	}

	static RedisCallException noAnswer(Duration timeout) {
		return new RedisCallException("no answer within " + timeout.toMillis() + " ms", null, Blame.SERVER);
	}

	static RedisCallException noNode() {
		return new RedisCallException("no server is known to have the key's hash slot", null, Blame.SERVER);
	}

	static RedisCallException busy() {
		return new RedisCallException("too many requests are waiting for an answer", null, Blame.SERVER);
	}

	static RedisCallException interrupted(InterruptedException cause) {
		return new RedisCallException("interrupted while waiting for an answer", cause, Blame.CALLER);
	}

	/**
	 * Makes whatever the client library threw a failure of Redis; but an error of the
	 * virtual machine is no such thing, and passes.
	 */
	static RedisCallException of(@Nullable Throwable cause) {
		if (cause instanceof Error error) {
			throw error;
		}
		if (cause instanceof RedisCallException known) {
			return known;
		}
		String message = message(cause);
		return new RedisCallException(message, cause, blame(message));
	}

	private static String message(@Nullable Throwable cause) {
		Throwable root = cause;
		while (root != null && root.getCause() != null) {
			root = root.getCause();
		}
		if (root == null) {
			return "unknown error";
		}
		return (root.getMessage() != null) ? root.getMessage() : root.getClass().getSimpleName();
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
		return NO_WRITES.stream().anyMatch(message::contains) ? Blame.WRITES : Blame.SERVER;
	}

	Blame blame() {
		return this.blame;
	}

	/**
	 * What was wrong.
	 */
	enum Blame {

		/** The server, or the way to it: others would fare no better. */
		SERVER,

		/** The server, which answers but takes no writes: it is full, for example. */
		WRITES,

		/**
		 * The server, which is a replica. Nothing was done, and another server is the one
		 * to ask.
		 */
		NODE,

		/** What the key holds, which is not ours. */
		KEY,

		/**
		 * A cluster, which is moving the call's keys to another node, and has moved only
		 * some. Nothing was done, and asking again helps.
		 */
		MOVE,

		/** The caller, who was interrupted. */
		CALLER

	}

}
