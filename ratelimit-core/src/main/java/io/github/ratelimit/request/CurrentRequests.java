package io.github.ratelimit.request;

import java.util.List;

/**
 * Finds the request that a thread is serving from several sources, such as GraphQL, whose
 * requests may come over HTTP. The first source that finds one counts.
 *
 * @since 0.1.0
 */
public final class CurrentRequests {

	private final List<CurrentRequest> sources;

	private final LimitedRequest none;

	/**
	 * Creates a search in several sources.
	 * @param sources the sources, the most specific first; none in an application that
	 * serves no requests
	 * @param room where calls wait without a thread
	 */
	public CurrentRequests(List<CurrentRequest> sources, WaitingRoom room) {
		this.sources = List.copyOf(sources);
		this.none = new SeparateCalls(null, room);
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

}
