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
 * @since 0.1.0
 */
public record CallOutcome(@Nullable Integer status, @Nullable Object result, @Nullable Throwable exception,
		@Nullable Boolean authenticationFailed) {

	/**
	 * The outcome of a request that was ended while somebody still worked for it:
	 * whatever its charges read, what it has reserved is used.
	 */
	public static final CallOutcome UNKNOWN = new CallOutcome(null, null, null, null);

}
