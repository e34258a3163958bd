package io.github.ratelimit.remote;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a {@link RemoteStore} that did not answer in time, or with an error. A
 * {@link ResilientStore} handles it: it never reaches a caller of the application.
 *
 * @since 0.1.0
 */
public final class StoreCallException extends RuntimeException {

	private final Blame blame;

	/*
	 * The breaker that has counted it last: a call that several have joined fails once.
	 */
	private @Nullable Object countedBy;

	/**
	 * Creates an exception.
	 * @param message the failure, in words for a log line
	 * @param cause what the client library threw, or {@code null}
	 * @param blame the cause of the failure
	 */
	public StoreCallException(String message, @Nullable Throwable cause, Blame blame) {
		super(message, cause, false, false);
		this.blame = blame;
	}

	/**
	 * Creates the exception for a server that did not answer in time.
	 */
	public static StoreCallException noAnswer(Duration timeout) {
		return new StoreCallException("no answer within " + timeout.toMillis() + " ms", null, Blame.SERVER);
	}

	/**
	 * Creates the exception for a caller that was interrupted while it waited.
	 */
	public static StoreCallException interrupted(InterruptedException cause) {
		return new StoreCallException("interrupted while waiting for an answer", cause, Blame.CALLER);
	}

	/**
	 * Returns the cause of the failure.
	 */
	public Blame blame() {
		return this.blame;
	}

	/**
	 * Notes that a breaker counts the failure.
	 * @return whether another one has counted it last, or none
	 */
	boolean countBy(Object breaker) {
		boolean counted = this.countedBy == breaker;
		this.countedBy = breaker;
		return !counted;
	}

	/**
	 * The cause of a failure.
	 */
	public enum Blame {

		/** The server, or the way to it: other calls would fail as well. */
		SERVER,

		/** The server, which answers but takes no writes: it is full, for example. */
		WRITES,

		/**
		 * The server, which is a replica. Nothing was done, and another server is the one
		 * to ask.
		 */
		NODE,

		/** The key, which holds something other than a state of a limit. */
		KEY,

		/**
		 * A cluster that is moving the call's keys to another server, and has moved only
		 * some. Nothing was done, and asking again helps.
		 */
		MOVE,

		/** The caller, which was interrupted, asks too much at once, or asks too late. */
		CALLER

	}

}
