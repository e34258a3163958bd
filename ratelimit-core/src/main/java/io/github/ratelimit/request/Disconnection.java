package io.github.ratelimit.request;

import java.util.Set;

/**
 * Tells what a request fails with because its client went away, or did not get its answer
 * in time, from what the application fails with. By the names of the servers' own
 * classes, because what a message says may be the client's text.
 */
final class Disconnection {

	private static final Set<String> TYPES = Set.of("org.apache.catalina.connector.ClientAbortException",
			"org.apache.coyote.CloseNowException", "org.eclipse.jetty.io.EofException",
			"org.springframework.web.context.request.async.AsyncRequestNotUsableException",
			"org.springframework.web.context.request.async.AsyncRequestTimeoutException",
			"reactor.netty.channel.AbortedException");

	/* Whose causes may be the same, of a connection to another server. */
	private static final Set<String> CALLS = Set.of("org.springframework.web.client.ResourceAccessException",
			"org.springframework.web.reactive.function.client.WebClientRequestException");

	/* A cause that is deeper is not looked for: some cause each other. */
	private static final int DEEPEST = 32;

	private Disconnection() {
	}

	/**
	 * Whether an exception is not the application's.
	 * @param exception what a request has failed with
	 */
	static boolean isCauseOf(Throwable exception) {
		Throwable cause = exception;
		for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
			String type = cause.getClass().getName();
			if (TYPES.contains(type)) {
				return true;
			}
			if (CALLS.contains(type)) {
				return false;
			}
			cause = cause.getCause();
		}
		return false;
	}

}
