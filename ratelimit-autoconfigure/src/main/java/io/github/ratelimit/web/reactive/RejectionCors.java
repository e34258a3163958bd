package io.github.ratelimit.web.reactive;

import java.util.List;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * Lets scripts of other origins read that they were rejected, if the application lets
 * them read its answers: what rejects early must do what the application would have done
 * later.
 */
final class RejectionCors extends DefaultCorsProcessor {

	private final List<CorsConfigurationSource> sources;

	private final List<HandlerMapping> mappings;

	/**
	 * Creates the header fields.
	 * @param context has what the application allows: its sources, of which the first
	 * that says something holds, or else the mappings, which apply theirs themselves
	 */
	RejectionCors(ApplicationContext context) {
		this.sources = context.getBeanProvider(CorsConfigurationSource.class).orderedStream().toList();
		this.mappings = context.getBeanProvider(HandlerMapping.class).orderedStream().toList();
	}

	Mono<Void> apply(ServerWebExchange exchange) {
		boolean allowed = exchange.getResponse().getHeaders().getAccessControlAllowOrigin() != null;
		if (allowed || exchange.getRequest().getHeaders().getOrigin() == null) {
			return Mono.empty();
		}
		for (CorsConfigurationSource source : this.sources) {
			CorsConfiguration configuration = source.getCorsConfiguration(exchange);
			if (configuration != null) {
				process(configuration, exchange);
				return Mono.empty();
			}
		}
		// without a handler nobody would have allowed anything; a refusal is no 403 of
		// its own
		return Flux.fromIterable(this.mappings)
			.concatMap((mapping) -> mapping.getHandler(exchange))
			.next()
			.onErrorComplete()
			.then(Mono.fromRunnable(() -> exchange.getResponse().setStatusCode(null)));
	}

	@Override
	protected void rejectRequest(ServerHttpResponse response) {
	}

}
