package io.github.ratelimit.request;

import java.util.Set;

/**
 * Distinguishes exceptions with which a request fails because its client went away, or
 * did not get its response in time, from those of the application. They are known by the
 * names of the servers' own classes, because a message may be the client's text.
 */
final class ClientDisconnects {

	private static final Set<String> TYPES = Set.of("org.apache.catalina.connector.ClientAbortException",
			"org.apache.coyote.CloseNowException", "org.eclipse.jetty.io.EofException",
			"org.eclipse.jetty.server.internal.HttpConnection$HttpEofException",
			"org.springframework.web.context.request.async.AsyncRequestNotUsableException",
			"org.springframework.web.context.request.async.AsyncRequestTimeoutException",
			"reactor.netty.channel.AbortedException");

	/* Their causes may be of the same types, but of a connection to another server. */
	private static final Set<String> CALLS = Set.of("org.springframework.web.client.ResourceAccessException",
			"org.springframework.web.reactive.function.client.WebClientRequestException");

	/* A deeper cause is not looked for: some exceptions cause each other. */
	private static final int MAX_DEPTH = 32;

	private ClientDisconnects() {
	}

	/**
	 * Whether an exception is not the application's.
	 * @param exception what a request has failed with
	 */
	static boolean areCauseOf(Throwable exception) {
		Throwable cause = exception;
		for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
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
