package io.github.ratelimit.integration.webflux;

import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;

import com.sun.management.ThreadMXBean;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a limit adds to a request whose thread serves other requests, too.
 */
class RequestAllocationTests {

	private static final int TIMES = 2_000;

	/*
	 * A filter, the limited exchange, its decision, five header fields, and what hears
	 * how the handler ends, without what a compiler saves that has more time. A commit
	 * action would be a quarter as much again.
	 */
	private static final long BYTES = 4_800;

	private static final InetSocketAddress CLIENT = new InetSocketAddress("192.0.2.1", 80);

	@AutoClose
	private static final NettyServer limited = start("ratelimit.enabled=true");

	@AutoClose
	private static final NettyServer unlimited = start("ratelimit.enabled=false");

	private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private static NettyServer start(String enabled) {
		return NettyServer.start(Application.class, NettyServer.all(NettyServer.policy("many", 1_000_000, "1d"),
				new String[] { "/ruled -> many", enabled }));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled", "/annotated" })
	void aLimitAllocatesNoMoreThanItNeeds(String path) {
		long before = bytesForEach(unlimited, path);
		assertThat(bytesForEach(limited, path) - before).isBetween(BYTES / 4, BYTES);
	}

	private long bytesForEach(NettyServer server, String path) {
		HttpHandler handler = server.context().getBean(HttpHandler.class);
		long before = 0;
		for (int i = -TIMES; i < TIMES; i++) {
			before = (i == 0) ? this.threads.getCurrentThreadAllocatedBytes() : before;
			MockServerHttpResponse response = new MockServerHttpResponse();
			handler.handle(MockServerHttpRequest.get(path).remoteAddress(CLIENT).build(), response).subscribe();
			assertThat(response.getHeaders().getContentLength()).isPositive();
		}
		return (this.threads.getCurrentThreadAllocatedBytes() - before) / TIMES;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Application {

		@GetMapping("/ruled")
		String ruled() {
			return "ruled";
		}

		@GetMapping("/annotated")
		@RateLimited("many")
		String annotated() {
			return "annotated";
		}

	}

}
