package io.github.ratelimit.integration.gateway;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.server.ServerWebExchange;

/**
 * Reads the bodies of some routes before their filters, as an application does that logs
 * them, and gives what comes later the same bytes.
 */
final class BodyLog implements GlobalFilter, Ordered {

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
		if (!exchange.getRequest().getPath().value().contains("-logged/")) {
			return chain.filter(exchange);
		}
		return DataBufferUtils.join(exchange.getRequest().getBody())
			.map(BodyLog::bytes)
			.defaultIfEmpty(new byte[0])
			.map((body) -> exchange.mutate().request(new LoggedRequest(exchange, body)).build())
			.flatMap(chain::filter);
	}

	private static byte[] bytes(DataBuffer buffer) {
		byte[] bytes = new byte[buffer.readableByteCount()];
		buffer.read(bytes);
		DataBufferUtils.release(buffer);
		return bytes;
	}

	@Override
	public int getOrder() {
		return -10;
	}

	private static final class LoggedRequest extends ServerHttpRequestDecorator {

		private final Flux<DataBuffer> body;

		LoggedRequest(ServerWebExchange exchange, byte[] body) {
			super(exchange.getRequest());
			this.body = Flux.defer(() -> Flux.just(exchange.getResponse().bufferFactory().wrap(body)));
		}

		@Override
		public Flux<DataBuffer> getBody() {
			return this.body;
		}

	}

}
