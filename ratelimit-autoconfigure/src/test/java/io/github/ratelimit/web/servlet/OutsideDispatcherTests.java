package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMvcAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.filter.RequestContextFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotated methods that are called where Spring MVC is not: from filters, from other
 * servlets, and from threads that have inherited a request.
 */
class OutsideDispatcherTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class);
	}

	@BeforeEach
	void forget() {
		server.forget();
		server.bean(Keys.class).last.set(null);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/servlet/x", "/servlet/async", "/inner-filter", "/outer-filter" })
	void aRejectionIsTheSameProblemAsEverywhere(String path) {
		server.get(path).is(200);
		Answer rejected = server.get(path);
		rejected.is(429, "Content-Type: application/problem+json", "Retry-After: 3600",
				"RateLimit: \"Helper.help\";r=0;t=3600");
		assertThat(rejected.body()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["Helper.help"]}""");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/servlet/x", "/servlet/async", "/inner-filter", "/outer-filter" })
	void theKeyIsTheClients(String path) {
		server.get(path);
		assertThat(server.limiter().peek("Helper.help", "127.0.0.1").remaining()).isZero();
	}

	@Test
	void otherFailuresStayWhatTheyAre() {
		server.get("/servlet/fail").is(500);
	}

	@Test
	void workThatOutlivesItsRequestIsLimitedAsOutsideOfOne() throws Exception {
		assertThat(server.get("/hand-over").body()).isEqualTo("handed over");
		Rest rest = server.bean(Rest.class);
		rest.goOn.countDown();
		assertThat(rest.done.get(30, TimeUnit.SECONDS)).isNull();
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("shared:");
	}

	@Test
	void workOnAnotherThreadIsLimitedByTheRequestWhileThatLasts() {
		assertThat(server.get("/wait-for").body()).isEqualTo("waited");
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("127.0.0.1");
	}

	@Test
	void aThreadOfTheServerThatHasInheritedAnEarlierRequestServesItsOwn() {
		server.get("/inherited/kept");
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("127.0.0.1");
		server.get("/inherited/over").is(429);
		assertThat(server.bean(Keys.class).last.get()).isEqualTo("127.0.0.1");
	}

	@Test
	void aRequestIsBoundOnceWithSpringMvcAndWithout() {
		AutoConfigurations ours = AutoConfigurations.of(RateLimitAutoConfiguration.class,
				RateLimitServletAutoConfiguration.class);
		new WebApplicationContextRunner().withConfiguration(ours)
			.run((context) -> assertThat(
					context.getBean("rateLimitRequestContextFilter", FilterRegistrationBean.class).getFilter())
				.isInstanceOf(RequestContextFilter.class));
		new WebApplicationContextRunner().withConfiguration(ours)
			.withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class, RateLimitMvcAutoConfiguration.class,
					RateLimitMethodAutoConfiguration.class))
			.run((context) -> assertThat(context).hasSingleBean(RequestContextFilter.class)
				.doesNotHaveBean("rateLimitRequestContextFilter"));
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Helper.class, Rest.class, Keys.class })
	static class Application {

		@Bean
		ServletRegistrationBean<?> plainServlet(Helper helper) {
			return Registrations.servlet("/servlet/*", (request, response) -> {
				if (request.getRequestURI().endsWith("/fail")) {
					throw new IllegalStateException("expected by the test");
				}
				boolean async = request.getRequestURI().endsWith("/async");
				AsyncContext context = async ? request.startAsync() : null;
				String help = helper.help();
				response.getWriter().write(help);
				if (context != null) {
					context.complete();
				}
			});
		}

		@Bean
		FilterRegistrationBean<?> inheritedRequest() {
			return Registrations.filter(Ordered.HIGHEST_PRECEDENCE, Application::inherit);
		}

		@Bean
		FilterRegistrationBean<?> innerFilter(Helper helper) {
			return calling(Ordered.LOWEST_PRECEDENCE, "/inner-filter|/inherited/.*", helper);
		}

		@Bean
		FilterRegistrationBean<?> outerFilter(Helper helper) {
			return calling(-103, "/outer-filter", helper);
		}

		private static FilterRegistrationBean<?> calling(int order, String path, Helper helper) {
			return Registrations.filter(order, (request, response, chain) -> {
				if (request.getRequestURI().matches(path)) {
					String help = helper.help();
					response.getWriter().write(help);
				}
				else {
					chain.doFilter(request, response);
				}
			});
		}

		/*
		 * As a thread finds it that was started by another one that served a request.
		 */
		private static void inherit(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			String path = request.getRequestURI();
			if (!path.startsWith("/inherited/")) {
				chain.doFilter(request, response);
				return;
			}
			MockHttpServletRequest earlier = new MockHttpServletRequest();
			earlier.setRemoteAddr("192.0.2.9");
			ServletRequestAttributes attributes = new ServletRequestAttributes(earlier);
			if (path.endsWith("/over")) {
				attributes.requestCompleted();
			}
			RequestContextHolder.setRequestAttributes(attributes);
			try {
				chain.doFilter(request, response);
			}
			finally {
				RequestContextHolder.resetRequestAttributes();
			}
		}

	}

	@RestController
	static class Rest {

		private final CountDownLatch goOn = new CountDownLatch(1);

		private final CompletableFuture<Void> done = new CompletableFuture<>();

		private final Helper helper;

		Rest(Helper helper) {
			this.helper = helper;
		}

		@GetMapping("/hand-over")
		String handOver() {
			RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
			Thread thread = new Thread(() -> {
				try {
					this.goOn.await();
					TestServer.await(() -> isOver(attributes));
					RequestContextHolder.setRequestAttributes(attributes);
					this.helper.help();
					this.done.complete(null);
				}
				catch (Exception ex) {
					this.done.completeExceptionally(ex);
				}
			});
			thread.start();
			return "handed over";
		}

		/* The client may have its answer before. */
		private static boolean isOver(RequestAttributes attributes) {
			try {
				attributes.getAttribute("any", RequestAttributes.SCOPE_REQUEST);
				return false;
			}
			catch (IllegalStateException ex) {
				return true;
			}
		}

		@GetMapping("/wait-for")
		String waitFor() {
			RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
			CompletableFuture.runAsync(() -> {
				RequestContextHolder.setRequestAttributes(attributes);
				try {
					this.helper.help();
				}
				finally {
					RequestContextHolder.resetRequestAttributes();
				}
			}).join();
			return "waited";
		}

	}

	@Component
	static class Helper {

		@RateLimited(limit = 1, window = "1h")
		public String help() {
			return "helped";
		}

	}

	@Component
	static class Keys implements RateLimitListener {

		private final AtomicReference<String> last = new AtomicReference<>();

		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			this.last.set(key);
		}

	}

}
