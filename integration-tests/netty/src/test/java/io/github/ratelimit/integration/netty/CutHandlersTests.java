package io.github.ratelimit.integration.netty;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.testserver.Leaving;
import io.github.ratelimit.testserver.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that nobody makes a stream that a handler returns cheaper than what it has
 * reserved: whoever writes the response leaves it at whichever element and in whatever
 * way, or leaves the request. What the stream has used is in its last element. A rule
 * counts what fails.
 */
class CutHandlersTests {

	private static final long ALL = 100;

	private static final long RESERVED = 4;

	@AutoClose
	private static final TestServer server = TestServer.start(Handlers.class,
			"rule: 100 per 1d; key='all'; charge=status >= 400", "/** -> rule; cost=4", "logging.level.root=off");

	private final HttpHandler handler = server.bean(HttpHandler.class);

	@Test
	void whoeverLeavesAStreamPaysWhatItHasReservedAtLeast() {
		Map<End, Integer> ends = new EnumMap<>(End.class);
		RandomCases.check(3_000, (random) -> ends.merge(checkOne(random), 1, Integer::sum));
		assertThat(ends).as("what was tried").hasSize(End.values().length);
	}

	private End checkOne(Random random) {
		Source source = new Source(random);
		server.bean(Handlers.class).use(source);
		Leaving leaving = Leaving.values()[random.nextInt(Leaving.values().length)];
		int at = 1 + random.nextInt(6);
		MockServerHttpResponse response = new MockServerHttpResponse();
		response.setWriteHandler((body) -> {
			Flux<Integer> elements = Flux.from(body).index((index, buffer) -> index.intValue());
			return leaving.of(elements, at).then();
		});

		String path = random.nextBoolean() ? "/lines" : "/events";
		Disposable request = this.handler.handle(MockServerHttpRequest.get(path).build(), response)
			.doOnCancel(source::leaveRequest)
			.doOnTerminate(source::endRequest)
			.subscribe((nothing) -> {
			}, (failure) -> {
			});
		source.emit(random.nextInt(8));
		request.dispose();

		assertThat(charged("handler")).as("%s at %d of %s", leaving, at, source).isEqualTo(source.charged());
		assertThat(charged("rule")).as("%s at %d of %s", leaving, at, source)
			.isEqualTo(isCharged(source, response) ? RESERVED : 0);
		server.limiter().policies().forEach((policy) -> policy.reset("all"));
		return source.end;
	}

	/*
	 * The connection may close between the first element and the server's subscription.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aStreamIsLeftThatTheServerHasNotSubscribedToWhenTheResponseEnds(boolean failed) {
		Source source = new Source(new Random(1));
		server.bean(Handlers.class).use(source);
		MockServerHttpResponse response = new MockServerHttpResponse();
		response.setWriteHandler((body) -> failed ? Mono.error(new IOException("gone")) : Mono.empty());

		this.handler.handle(MockServerHttpRequest.get("/lines").build(), response).onErrorComplete().subscribe();
		source.emit(1);
		assertThat(source.end).isEqualTo(End.LEFT);
		assertThat(charged("handler")).isEqualTo(source.charged());
		server.limiter().policies().forEach((policy) -> policy.reset("all"));
	}

	private static boolean isCharged(Source source, MockServerHttpResponse response) {
		return source.end != End.OVER || (response.getStatusCode() != null && response.getStatusCode().isError());
	}

	private static long charged(String policy) {
		return ALL - server.limiter().peek(policy, "all").remaining();
	}

	private enum End {

		/** It has completed or failed, and so has its request. */
		OVER,

		/** Whoever writes the response has left it. */
		LEFT,

		/** The request was cancelled. */
		REQUEST_LEFT

	}

	/**
	 * What the handler returns, and what became of it.
	 */
	static final class Source {

		private final Sinks.Many<Integer> sink = Sinks.many().unicast().onBackpressureBuffer();

		private final Integer[] numbers;

		private final boolean fails;

		private int last;

		private boolean failed;

		private boolean requestOver;

		/* Some operators complete, and leave the stream with its next element. */
		private boolean leftLater;

		private @Nullable End end;

		Source(Random random) {
			this.numbers = random.ints(random.nextInt(6), 0, 9).boxed().toArray(Integer[]::new);
			this.fails = random.nextInt(4) == 0;
		}

		Flux<Integer> flux() {
			return this.sink.asFlux()
				.doOnNext((number) -> this.last = number)
				.doOnError((failure) -> this.failed = true)
				.doOnCancel(() -> end(End.LEFT))
				.doOnTerminate(() -> end(End.OVER));
		}

		/* The answer to a failure is no part of the stream. */
		void leaveRequest() {
			if (!this.failed) {
				this.end = End.REQUEST_LEFT;
			}
		}

		void endRequest() {
			this.requestOver = true;
		}

		private void end(End end) {
			if (this.end == null) {
				this.end = end;
				this.leftLater = this.requestOver;
			}
		}

		void emit(int count) {
			for (int i = 0; i < count && i < this.numbers.length; i++) {
				this.sink.tryEmitNext(this.numbers[i]);
			}
			if (count > this.numbers.length && this.fails) {
				this.sink.tryEmitError(new IllegalStateException("as asked"));
			}
			else if (count > this.numbers.length) {
				this.sink.tryEmitComplete();
			}
		}

		long charged() {
			if (this.leftLater) {
				return RESERVED;
			}
			return (this.end == End.OVER) ? this.last : Math.max(RESERVED, this.last);
		}

		@Override
		public String toString() {
			return this.numbers.length + " numbers, ended as " + this.end + ", last " + this.last;
		}

	}

	@RestController
	@RateLimited(name = "handler", limit = ALL, window = "1d", key = "'all'", cost = "" + RESERVED,
			charge = "result ?: 0")
	static class Handlers {

		private Source source = new Source(new Random(0));

		void use(Source source) {
			this.source = source;
		}

		@GetMapping(path = "/lines", produces = "application/x-ndjson")
		public Flux<Integer> lines() {
			return this.source.flux();
		}

		@GetMapping(path = "/events", produces = "text/event-stream")
		public Flux<Integer> events() {
			return this.source.flux();
		}

	}

}
