package io.github.ratelimit.web.reactive;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ServerWebExchange;

/**
 * Answers a request that was rejected. A bean of this type replaces the problem that is
 * written otherwise. The response has the header fields already.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RateLimitRejectionHandler {

	/**
	 * Writes the answer.
	 * @param exchange the request, and the response, which is not committed and whose
	 * status is not yet set
	 * @param policy the policy that rejected
	 * @param decision its decision
	 * @return completes when the answer is written
	 */
	Mono<Void> handle(ServerWebExchange exchange, RateLimitPolicy policy, RateLimitDecision decision);

}
