package io.github.ratelimit.web.servlet;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimiter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that are charged by their outcome and in flight when the application stops.
 */
class ChargedShutdownTests {

	@ParameterizedTest
	@ValueSource(strings = { "60s", "1ms" })
	void aRequestInFlightIsSettledOnceWithinTheGracePeriodOrAfter(String grace) throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		Controller.entered = entered;
		Controller.release = release;
		TestServer server = TestServer.start(Controller.class,
				"fast: 5 per 1h; key='all'; charge=status == 200 ? 0 : 1", "/slow -> fast; cost=3",
				"spring.lifecycle.timeout-per-shutdown-phase=" + grace);
		RateLimiter policy = server.limiter().policy("fast");
		CompletableFuture<Answer> request = server.sendAsync("GET", "/slow", "");
		assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
		if (grace.equals("1ms")) {
			TestServer.await(() -> !server.bean(DelayedDispatch.class).isRunning());
		}
		assertThat(TestServer.settled(policy)).isZero();
		release.countDown();
		TestServer.await(() -> TestServer.settled(policy) == 1);
		assertThat(policy.peek("all").remaining()).isEqualTo(5);
		request.handle((response, failure) -> response).get(60, TimeUnit.SECONDS);
		stopped.get(60, TimeUnit.SECONDS);
		assertThat(TestServer.settled(policy)).isEqualTo(1);
	}

	@RestController
	static class Controller {

		private static volatile CountDownLatch entered;

		private static volatile CountDownLatch release;

		@GetMapping("/slow")
		String slow() throws InterruptedException {
			entered.countDown();
			while (release.getCount() > 0) {
				try {
					assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
				}
				catch (InterruptedException ex) {
					// Tomcat interrupts what it no longer waits for
				}
			}
			return "slow";
		}

	}

}
