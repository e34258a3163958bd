package io.github.ratelimit.integration.netty;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import io.github.ratelimit.request.WaitingRoom;
import io.netty.util.concurrent.EventExecutor;
import org.junit.jupiter.api.Test;

import org.springframework.context.SmartLifecycle;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A stop while a request waits: Netty forgets what its threads have not written yet.
 */
class NettyStopTests {

	@Test
	void theServerStopsOnlyWhenTheAnswerIsWritten() throws Exception {
		try (TestServer server = TestServer.start(Hello.class, "hour: 1 per 1h; algorithm=leaky-bucket; burst=1",
				"/** -> hour")) {
			server.get("/").is(200);
			CompletableFuture<Answer> waiting = server.sendAsync("GET", "/", "");
			TestServer.await(() -> server.bean(WaitingRoom.class).waiting() == 1);
			CountDownLatch held = new CountDownLatch(1);
			for (EventExecutor thread : server.bean(ReactorResourceFactory.class).getLoopResources().onServer(true)) {
				// it may still be about to let the request wait
				thread.submit(() -> {
				}).sync();
				thread.execute(() -> await(held));
			}
			AtomicBoolean mayStop = new AtomicBoolean();
			Class<?> exchanges = Class.forName("io.github.ratelimit.web.reactive.DelayedExchanges");
			((SmartLifecycle) server.bean(exchanges)).stop(() -> mayStop.set(true));
			boolean early = mayStop.get();
			held.countDown();
			assertThat(early).isFalse();
			waiting.join().is(503);
			TestServer.await(mayStop::get);
		}
	}

	private static void await(CountDownLatch held) {
		try {
			held.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@RestController
	static class Hello {

		@GetMapping("/")
		String hello() {
			return "hello";
		}

	}

}
