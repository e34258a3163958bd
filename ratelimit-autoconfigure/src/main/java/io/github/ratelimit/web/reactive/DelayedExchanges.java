package io.github.ratelimit.web.reactive;

import java.util.concurrent.TimeUnit;

import io.github.ratelimit.web.DelayedRequests;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;

import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.util.ClassUtils;

/**
 * Lets exchanges wait without a thread.
 */
final class DelayedExchanges extends DelayedRequests<Sinks.One<Boolean>> {

	/**
	 * Lets time pass from now on, unless the client goes away or the application stops
	 * meanwhile.
	 * @param nanos how long
	 * @param slot frees the slot that the exchange waits in, however the wait ends
	 * @param response answers an exchange that has to end its wait because the
	 * application stops
	 * @return {@code true} if the wait is over, or {@code false} if it was answered
	 */
	Mono<Boolean> await(long nanos, Runnable slot, ServerHttpResponse response) {
		Sinks.One<Boolean> wait = Sinks.one();
		add(wait);
		Disposable timer = Schedulers.parallel().schedule(() -> wait.tryEmitValue(true), nanos, TimeUnit.NANOSECONDS);

		// a handler that is called next must not hold the slot
		return wait.asMono()
			.doOnTerminate(slot)
			.doOnCancel(slot)
			.flatMap((over) -> over ? Mono.just(true) : answerStopped(response))
			.doFinally((end) -> {
				timer.dispose();
				remove(wait);
			});
	}

	/*
	 * Netty writes at once only on the connection's own thread: what another one gives it
	 * is queued, and forgotten when the server stops.
	 */
	private static Mono<Boolean> answerStopped(ServerHttpResponse response) {
		Mono<Boolean> answer = Mono.defer(() -> writeStopped(response));
		if (ClassUtils.isPresent("reactor.netty.Connection", DelayedExchanges.class.getClassLoader())
				&& ServerHttpResponseDecorator.getNativeResponse(response) instanceof Connection connection) {
			return answer.subscribeOn(Schedulers.fromExecutor(connection.channel().eventLoop()));
		}
		return answer;
	}

	/*
	 * A response without a body would be written only when the exchange is over.
	 */
	private static Mono<Boolean> writeStopped(ServerHttpResponse response) {
		response.setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
		response.getHeaders().setContentLength(0);
		return response.writeWith(Mono.just(response.bufferFactory().wrap(new byte[0]))).thenReturn(false);
	}

	@Override
	protected void reject(Sinks.One<Boolean> wait) {
		wait.tryEmitValue(false);
	}

}
