package io.github.ratelimit.enforce;

import java.lang.reflect.Method;

import io.github.ratelimit.expression.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * The web request that the calling thread is serving, for the limits of methods that are
 * called while it is.
 */
public interface CurrentRequest {

	/**
	 * Sees the request.
	 * @return a view of the request, or {@code null} outside of one
	 */
	@Nullable RequestView view();

	/**
	 * Whether a request is still the one that was seen. A thread that was handed work may
	 * outlive the request that it inherited, whose object then serves another client's.
	 * @param view what was seen
	 * @return {@code false} if nothing that the view told may be used
	 */
	default boolean isServed(RequestView view) {
		return true;
	}

	/**
	 * Whether the web stack has already enforced the limits of this call: true once, for
	 * the request's own handler method.
	 * @param method the method that is being called
	 * @return {@code true} if there is nothing left to enforce
	 */
	boolean consumeEnforced(Method method);

	/**
	 * Where to note what the method's policies say: the request's own ledger if the
	 * request calls its handler; that of a call within the request if its own thread
	 * calls anything else; otherwise one that belongs to no request.
	 * @param method the method that is being called
	 * @return a ledger
	 */
	PermitLedger ledger(Method method);

	/**
	 * Adds what a ledger says to the response's headers, if there is a response that is
	 * still open.
	 * @param ledger what the policies said
	 */
	void report(PermitLedger ledger);

}
