package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.PolicyNames;
import io.github.ratelimit.web.ResetFormat;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A call that a store decides on after its request is over, on a thread of its own.
 */
class LateAnswerTests {

	private static final Method METHOD = ClassUtils.getMethod(Runnable.class, "run");

	private final ManualClock clock = ManualClock.atMidnight();

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(
			new LocalRateLimitStore(this.clock, 10), List.of());

	private final StoreRateLimiter limiter = this.registry
		.register(RateLimitPolicy.of("calls", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1))));

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	@Test
	void callIsMadeThoughTheServerHasTakenTheResponseBack() {
		MockHttpServletResponse gone = new MockHttpServletResponse() {

			@Override
			public boolean isCommitted() {
				throw new IllegalStateException("expected by the test");
			}

		};
		assertIsAllowed(new LimitedServletRequest(limits(), this.request, gone));
		this.request.setAsyncSupported(true);
		this.request.startAsync();
		assertIsAllowed(new LimitedServletRequest(limits(), this.request, gone));
	}

	@Test
	void fieldsAreWrittenWhileTheRequestIsServedOrAsynchronous() {
		MockHttpServletResponse response = new MockHttpServletResponse();
		LimitedServletRequest limited = new LimitedServletRequest(limits(), this.request, response);
		assertIsAllowed(limited);
		assertThat(response.getHeaderNames()).isEmpty();

		this.request.setAsyncSupported(true);
		this.request.startAsync();
		assertIsAllowed(limited);
		assertThat(response.getHeader("RateLimit")).contains("r=3");

		this.request.setAsyncStarted(false);
		limited.serveOn(Thread.currentThread());
		assertIsAllowed(limited);
		assertThat(response.getHeader("RateLimit")).contains("r=2");
	}

	@Test
	void whatAnotherThreadDecidesIsWrittenByTheOneThatLeavesAnAsynchronousRequest() {
		MockHttpServletResponse response = new MockHttpServletResponse();
		LimitedServletRequest limited = new LimitedServletRequest(limits(), this.request, response);
		limited.serveOn(Thread.currentThread());
		this.request.setAsyncSupported(true);
		this.request.startAsync();
		CompletableFuture.runAsync(() -> assertIsAllowed(limited)).join();
		assertThat(response.getHeaderNames()).isEmpty();
		limited.leave(null);
		assertThat(response.getHeader("RateLimit")).contains("r=4");
	}

	@Test
	void whatAnotherThreadDecidesIsWrittenAtOnceWhileAThreadServesTheRequest() {
		MockHttpServletResponse response = new MockHttpServletResponse();
		LimitedServletRequest limited = new LimitedServletRequest(limits(), this.request, response);
		limited.serveOn(Thread.currentThread());
		CompletableFuture.runAsync(() -> assertIsAllowed(limited)).join();
		assertThat(response.getHeader("RateLimit")).contains("r=4");
	}

	private void assertIsAllowed(LimitedServletRequest limited) {
		List<PermitRequest> requests = List.of(PermitRequest.of(this.limiter, "key", 1));
		assertThat(limited.acquire(METHOD, requests, false).rejection()).isNull();
	}

	private ServletRateLimits limits() {
		return new ServletRateLimits(new ClientAddressResolver(List.of(), 64, null, new RateLimitFindings()),
				new HeaderSettings(List.of(HeaderFamily.RATE_LIMIT), true, ResetFormat.SECONDS, PolicyNames.FULL,
						this.clock),
				this.registry, new WaitingRoom(this.clock, 1), Duration.ofSeconds(1).toNanos(), null);
	}

}
