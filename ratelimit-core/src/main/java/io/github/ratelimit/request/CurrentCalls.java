package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The limited calls that a thread is in, for code that asks what was decided on them.
 */
final class CurrentCalls {

	private static final ThreadLocal<@Nullable Call> CURRENT = new ThreadLocal<>();

	private CurrentCalls() {
	}

	/**
	 * Makes a call.
	 * @param decided what was decided on it
	 * @param body the call
	 * @return what it returns
	 * @throws Throwable what it throws
	 */
	static @Nullable Object make(List<AcquisitionEntry> decided, CurrentRequests.Body body) throws Throwable {
		Call outer = CURRENT.get();
		CURRENT.set(new Call(decided, outer));
		try {
			return body.proceed();
		}
		finally {
			if (outer != null) {
				CURRENT.set(outer);
			}
			else {
				CURRENT.remove();
			}
		}
	}

	/**
	 * What was decided on the calls that the thread is in, and on the request that they
	 * belong to. Of each policy, what was decided on the innermost call counts.
	 * @param request the request that the thread serves, or what stands for none
	 * @return an entry for each policy that was asked, from the innermost call outwards
	 * @throws IllegalStateException if the thread is in no call, and serves no request
	 */
	static List<AcquisitionEntry> decided(LimitedRequest request) {
		List<AcquisitionEntry> ofRequest = request.decided();
		Call call = CURRENT.get();
		if (call == null && ofRequest == null) {
			throw new IllegalStateException("RateLimitInfo is asked for on a thread that is in no method with "
					+ "@RateLimited, and is not known to serve a request. Ask for it at the beginning of such a "
					+ "method, or take it as an argument of the request's handler.");
		}

		List<AcquisitionEntry> decided = new ArrayList<>();
		for (; call != null; call = call.outer()) {
			call.decided().forEach((entry) -> addUnlessThere(entry, decided));
		}
		if (ofRequest != null) {
			ofRequest.forEach((entry) -> addUnlessThere(entry, decided));
		}
		return decided;
	}

	private static void addUnlessThere(AcquisitionEntry entry, List<AcquisitionEntry> decided) {
		if (decided.stream().noneMatch((inner) -> inner.request().isOfSamePolicy(entry.request()))) {
			decided.add(entry);
		}
	}

	/**
	 * A call that a thread is in.
	 *
	 * @param decided what was decided on it
	 * @param outer the call that it is made within, or {@code null}
	 */
	private record Call(List<AcquisitionEntry> decided, @Nullable Call outer) {
	}

}
