package io.github.ratelimit.request;

import java.util.List;

/**
 * The ways in which a thread may be serving a request, such as a field of a GraphQL
 * request that came over HTTP. The first that finds one speaks for all.
 *
 * @since 0.1.0
 */
public final class CurrentRequests {

	private final List<CurrentRequest> ways;

	private final LimitedRequest none;

	/**
	 * Creates the ways.
	 * @param ways the ways, the most specific first; none in an application that serves
	 * no requests
	 * @param room where calls wait without a thread
	 */
	public CurrentRequests(List<CurrentRequest> ways, WaitingRoom room) {
		this.ways = List.copyOf(ways);
		this.none = new SeparateCalls(null, room);
	}

	/**
	 * Finds what a call belongs to.
	 * @return the request, or a stand-in outside of one
	 */
	public LimitedRequest find() {
		for (int i = 0; i < this.ways.size(); i++) {
			LimitedRequest request = this.ways.get(i).find();
			if (request != null) {
				return request;
			}
		}
		return this.none;
	}

}
