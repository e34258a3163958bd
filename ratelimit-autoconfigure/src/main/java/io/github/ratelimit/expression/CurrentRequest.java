package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import io.github.ratelimit.PermitLedger;
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
	 * Whether the web stack has already enforced the limits of this call: true once, for
	 * the request's own handler method.
	 * @param method the method that is being called
	 * @return {@code true} if there is nothing left to enforce
	 */
	boolean consumeEnforced(Method method);

	/**
	 * Where to note what the method's policies say: the request's own ledger if the
	 * method is the request's handler, otherwise (a method that the handler calls, or no
	 * request) a new one.
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
