package io.github.ratelimit.request;

import java.util.List;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimiterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Finds the request that a thread is serving from several sources, such as GraphQL, whose
 * requests may come over HTTP. The first source that finds one counts.
 *
 * @since 0.1.0
 */
public final class CurrentRequests {

	private final List<CurrentRequest> sources;

	private final LimitedRequest none;

	/* Whether code asks what was decided on calls. */
	private volatile boolean asked;

	/**
	 * Creates a search in several sources.
	 * @param sources the sources, the most specific first; none in an application that
	 * serves no requests
	 * @param room where calls wait without a thread
	 */
	public CurrentRequests(List<CurrentRequest> sources, WaitingRoom room) {
		this.sources = List.copyOf(sources);
		this.none = LimitedRequest.ofSeparateCalls(null, room);
	}

	/**
	 * Creates what tells code what was decided on the call and the request that its
	 * thread is in.
	 * @param registry knows all policies
	 * @return looks it up whenever it is asked
	 */
	public RateLimitInfo info(RateLimiterRegistry registry) {
		this.asked = true;
		return new DecidedLimits(() -> CurrentCalls.decided(find()), registry);
	}

	/**
	 * Whether code may ask what was decided on a call.
	 * @return {@code true} if it is to be {@link #make made} here
	 */
	public boolean isAsked() {
		return this.asked;
	}

	/**
	 * Makes a call, of which code may ask what was decided.
	 * @param decided what was decided on it
	 * @param body the call
	 * @return what it returns
	 * @throws Throwable what it throws
	 */
	public @Nullable Object make(List<AcquisitionEntry> decided, Body body) throws Throwable {
		return CurrentCalls.make(decided, body);
	}

	/**
	 * Finds what a call belongs to.
	 * @return the request, or a stand-in outside of one
	 */
	public LimitedRequest find() {
		for (int i = 0; i < this.sources.size(); i++) {
			LimitedRequest request = this.sources.get(i).find();
			if (request != null) {
				return request;
			}
		}
		return this.none;
	}

	/**
	 * The rest of a call.
	 */
	@FunctionalInterface
	public interface Body {

		/**
		 * Proceeds with the call.
		 * @return what the call returns
		 * @throws Throwable what it throws
		 */
		@Nullable Object proceed() throws Throwable;

	}

}
