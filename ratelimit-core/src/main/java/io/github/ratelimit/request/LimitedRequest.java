package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A request whose limits are enforced, whichever way it came in. It says who asks, where
 * permits are acquired, and how its client learns what the policies decided.
 *
 * @since 0.1.0
 */
public interface LimitedRequest {

	/**
	 * Creates a request, or a stand-in outside of one, whose calls each count for
	 * themselves, and which has no header fields.
	 * @param view who asks, or {@code null} outside of a request
	 * @param room where calls wait without a thread
	 * @return the request
	 */
	static LimitedRequest ofSeparateCalls(@Nullable RequestView view, WaitingRoom room) {
		return new SeparateCalls(view, room, false);
	}

	/**
	 * Creates a request whose calls ask no policy, because its client's address is
	 * exempt.
	 * @param view who asks
	 * @param room where calls wait without a thread
	 * @return the request
	 */
	static LimitedRequest ofExempt(RequestView view, WaitingRoom room) {
		return new SeparateCalls(view, room, true);
	}

	/**
	 * The view of the request that expressions have.
	 * @return a view of the request, or {@code null} outside of one
	 */
	@Nullable RequestView view();

	/**
	 * Whether the request is still served. A thread that was handed work may outlive the
	 * request that it inherited, whose object then serves another client's.
	 * @return {@code false} if nothing that the view has given may be used
	 */
	default boolean isServed() {
		return true;
	}

	/**
	 * Whether no policy is asked, because the client's address is exempt. What would be
	 * asked need not be worked out.
	 * @return {@code false} if policies limit the request and its calls
	 */
	default boolean isExempt() {
		return false;
	}

	/**
	 * Consumes the note that the limits of a call are enforced already, which is there
	 * once, for the request's own handler method.
	 * @param method the method that is being called
	 * @return {@code true} if there is nothing left to enforce
	 */
	default boolean consumeEnforced(Method method) {
		return false;
	}

	/**
	 * Where a call acquires permits: with the request if the request calls its handler;
	 * within it if its own thread calls anything else; otherwise for itself.
	 * @param method the method that is being called
	 * @return the acquisition
	 */
	Acquisition acquisition(Method method);

	/**
	 * Begins a call, which is that of the handler only once.
	 * @param method the method that is being called
	 * @return where it acquires permits
	 * @see #acquisition(Method)
	 */
	default Acquisition beginCall(Method method) {
		return acquisition(method);
	}

	/**
	 * Reports to the client what the policies decided, if there is a response that is
	 * still open.
	 * @param acquisition what the policies decided
	 */
	default void report(Acquisition acquisition) {
	}

	/**
	 * Reports to the client that a fallback answers what was rejected.
	 * @param acquisition what the policies decided, of which one rejects
	 */
	default void reportFallback(Acquisition acquisition) {
	}

	/**
	 * What was decided on the request by now, and on the calls within it.
	 * @return an entry for each policy that was asked, empty if each call counts for
	 * itself; {@code null} outside of a request
	 */
	default @Nullable List<AcquisitionEntry> decided() {
		if (view() == null) {
			return null;
		}
		return List.of();
	}

	/**
	 * Takes the permits of a call that has no fallback.
	 * @param method the method that is being called
	 * @param requests what to take
	 * @param needsSlot whether waiting needs a slot
	 * @return says whether a policy rejects, and how long the call must wait
	 * @see #acquire(Method, List, boolean, Predicate)
	 */
	default Acquisition acquire(Method method, List<PermitRequest> requests, boolean needsSlot) {
		return acquire(method, requests, needsSlot, Acquisition.WITHOUT_FALLBACK);
	}

	/**
	 * Takes the permits of a call from all policies or from none, and reports it, unless
	 * all is decided in shadow.
	 * @param method the method that is being called
	 * @param requests what to take
	 * @param needsSlot whether waiting needs a slot; {@code false} if the call holds a
	 * thread meanwhile
	 * @param fallback whether a fallback answers a rejection
	 * @return says whether a policy rejects, and how long the call must wait
	 */
	default Acquisition acquire(Method method, List<PermitRequest> requests, boolean needsSlot,
			Predicate<AcquisitionEntry> fallback) {
		Acquisition acquisition = beginCall(method);
		acquisition.take(requests, needsSlot, fallback);
		if (!acquisition.entries().isEmpty()) {
			report(acquisition);
		}
		return acquisition;
	}

}
