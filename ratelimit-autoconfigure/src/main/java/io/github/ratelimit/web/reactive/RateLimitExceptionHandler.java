package io.github.ratelimit.web.reactive;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.ResponseFields;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

/**
 * Answers requests that a limited method has rejected, and that the application has no
 * answer for: 429, or 503 if the store could not decide.
 *
 * @param registry knows the policies
 * @param headers writes the header fields
 * @param problem renders the body
 * @since 0.1.0
 */
public record RateLimitExceptionHandler(RateLimiterRegistry registry, RateLimitHeaders headers,
		RateLimitProblem problem) implements WebExceptionHandler, Ordered {

	/* Before the one that Spring Boot answers all errors with. */
	private static final int ORDER = -2;

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
		ServerHttpResponse response = exchange.getResponse();
		if (!(thrown instanceof RateLimitExceededException rejection) || response.isCommitted()) {
			return Mono.error(thrown);
		}
		boolean unavailable = rejection.decision().unavailable();
		response.setStatusCode(unavailable ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.TOO_MANY_REQUESTS);
		response.getHeaders().set(HttpHeaders.CONTENT_TYPE, RateLimitProblem.MEDIA_TYPE);
		List<Acquisition.Entry> entries = Acquisition.Entry.ofRejection(this.registry, rejection);
		this.headers.write(entries, rejection.decision(), new ResponseFields() {

			@Override
			protected void set(HeaderName name, byte[] value) {
				response.getHeaders().set(name.text(), new String(value, StandardCharsets.US_ASCII));
			}

		});
		byte[] body = this.problem.body(rejection.policy(), rejection.decision());
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
	}

	@Override
	public int getOrder() {
		return ORDER;
	}

}
