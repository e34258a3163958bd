package io.github.ratelimit.request;

import org.jspecify.annotations.Nullable;

/**
 * Says how a request or call has ended, as a charge sees it.
 *
 * @param status the response's status, or {@code null} if the call has no response of its
 * own
 * @param result what the annotated method has returned, or what its future or publisher
 * has completed with
 * @param exception what the request or call has failed with
 * @param authenticationFailed whether somebody tried to log in with it and could not, or
 * {@code null} if the call is no part of an HTTP request, so that nobody knows
 * @param cancelled whether its caller has left, or the server has ended it, before it was
 * over. What is known of its outcome is only what was so far
 * @since 0.1.0
 */
public record CallOutcome(@Nullable Integer status, @Nullable Object result, @Nullable Throwable exception,
		@Nullable Boolean authenticationFailed, boolean cancelled) {

	/**
	 * The outcome of a request that was ended while somebody still worked for it, and
	 * before anything was sent: nothing is known of it.
	 */
	public static final CallOutcome UNKNOWN = new CallOutcome(null, null, null, null, true);

	/**
	 * Creates the outcome of a call that is over.
	 * @param status the response's status, if the call has a response
	 * @param result what the annotated method has returned
	 * @param exception what the request or call has failed with
	 * @param authenticationFailed whether an authentication has failed, if that is known
	 */
	public CallOutcome(@Nullable Integer status, @Nullable Object result, @Nullable Throwable exception,
			@Nullable Boolean authenticationFailed) {
		this(status, result, exception, authenticationFailed, false);
	}

}
