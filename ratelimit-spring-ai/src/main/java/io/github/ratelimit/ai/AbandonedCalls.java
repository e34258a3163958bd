package io.github.ratelimit.ai;

import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Locale;
import java.util.concurrent.CancellationException;

/**
 * Distinguishes failures of models that nobody waited for from those that a provider has
 * answered: what was asked may still be answered, and billed.
 */
final class AbandonedCalls {

	/* A deeper cause is not looked for: some exceptions cause each other. */
	private static final int MAX_DEPTH = 32;

	private AbandonedCalls() {
	}

	/**
	 * Whether a call has failed because nobody waited longer, once it was sent. Whoever
	 * leaves a request may interrupt its thread, and a client of HTTP may then fail in
	 * any way.
	 * @param failure what the call has failed with on the calling thread
	 */
	static boolean areCauseOf(Throwable failure) {
		if (Thread.currentThread().isInterrupted()) {
			return true;
		}

		Throwable cause = failure;
		for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
			if (isAbandoned(cause)) {
				return true;
			}
			cause = cause.getCause();
		}
		return false;
	}

	/* Each client of HTTP has time-outs of its own. */
	private static boolean isAbandoned(Throwable failure) {
		if (failure instanceof InterruptedException || failure instanceof ClosedByInterruptException
				|| failure instanceof CancellationException) {
			return true;
		}
		String name = failure.getClass().getSimpleName();
		boolean timeout = failure instanceof InterruptedIOException || name.contains("Timeout");
		return timeout && !isOfConnecting(name + " " + failure.getMessage());
	}

	/* Where there was no connection, nothing was sent. */
	private static boolean isOfConnecting(String failure) {
		return failure.toLowerCase(Locale.ROOT).contains("connect");
	}

}
