package io.github.ratelimit.request;

import java.util.function.Predicate;

import reactor.core.publisher.Mono;

/**
 * A request of which some things can be read only once they were fetched, such as its
 * user. In the context of all that subscribes for it, under the key
 * {@link LimitedRequest}. Loaded only with Reactor.
 *
 * @since 0.1.0
 */
public interface ReactiveRequest extends LimitedRequest {

	/**
	 * Fetches what the expressions of a call may read.
	 * @param mayRead whether they may read a word, such as {@code principal}
	 * @return completes when all is there, or fails if the request cannot be served
	 */
	Mono<Void> fetch(Predicate<String> mayRead);

}
