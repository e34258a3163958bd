package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.request.WaitingRoom;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.ModelAndView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What stands around a request that waits: the application's filters, another servlet
 * than Spring MVC's, and a client that goes away.
 */
class AroundTheWaitTests {

	@AutoClose
	private final TestServer server = TestServer.start(Application.class, "server.http2.enabled=true",
			"slower: 1 per 2s; algorithm=leaky-bucket; burst=10", "slow: 20 per 1s; algorithm=leaky-bucket; burst=20",
			"/slow -> slow", "/plain/slow -> slow", "/slower -> slower", "/plain/slower -> slower");

	@ParameterizedTest
	@ValueSource(strings = { "/slow", "/plain/slow" })
	void theApplicationsFiltersRunOnceAndSeeTheAnswer(String path) {
		for (int i = 1; i <= 3; i++) {
			Answer response = this.server.get(path);
			assertThat(response.body()).isEqualTo("slow");
			assertThat(response.all("First")).containsExactly("yes");
			assertThat(response.all("Last")).containsExactly("yes");
			assertThat(this.server.bean(FirstFilter.class).calls()).isEqualTo(i);
			assertThat(this.server.bean(LastFilter.class).calls()).isEqualTo(i);
			assertThat(this.server.bean(Calls.class).count()).isEqualTo(i);
		}
	}

	@ParameterizedTest
	@CsvSource({ "/forward/plain/slow, slow", "/forward/slow, slow", "/plain/forward/plain/slow, slow",
			"/include/slow-handler, before slow after" })
	void whatAnotherHandlerLeadsToWaitsAndBothRunOnce(String path, String body) {
		for (int i = 0; i < 3; i++) {
			Instant due = Instant.now().plusMillis(50 * i);
			assertThat(this.server.get(path).body()).isEqualTo(body);
			assertThat(Instant.now()).isAfterOrEqualTo(due);
			assertThat(this.server.bean(Calls.class).count()).isEqualTo(2 * i + 2);
			assertThat(this.server.bean(WaitingRoom.class).waiting()).isZero();
		}
	}

	/*
	 * Tomcat notices with HTTP/2, where a client can abandon a single request.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/slower", "/plain/slower" })
	void aClientThatIsReportedAsGoneIsDroppedAndLeavesItsPlace(String path) throws Exception {
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
		HttpRequest request = HttpRequest.newBuilder(this.server.uri(path)).build();
		assertThat(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().version())
			.isEqualTo(HttpClient.Version.HTTP_2);
		CompletableFuture<?> gone = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
		this.server.awaitDelayed("slower", 1);
		gone.cancel(true);
		TestServer.await(() -> this.server.bean(WaitingRoom.class).waiting() == 0);
		assertThat(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().body()).isEqualTo("slow");
		assertThat(this.server.bean(Calls.class).count()).isEqualTo(2);
	}

	@Test
	void aConnectionThatIsClosedWhileItsRequestWaitsDoesNoHarm() {
		this.server.get("/slow");
		for (int i = 0; i < 5; i++) {
			this.server.sendAsync("GET", "/slow", "").cancel(true);
		}
		assertThat(this.server.get("/slow").body()).isEqualTo("slow");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, FirstFilter.class, LastFilter.class, Calls.class })
	static class Application {

		@Bean
		ServletRegistrationBean<?> plainServlet(Calls calls) {
			return Registrations.servlet("/plain/*", (request, response) -> {
				calls.count.incrementAndGet();
				if (request.getRequestURI().startsWith("/plain/forward/")) {
					request.getRequestDispatcher(request.getRequestURI().substring("/plain/forward".length()))
						.forward(request, response);
				}
				else {
					response.getWriter().write("slow");
				}
			});
		}

	}

	static class Calls {

		private final AtomicInteger count = new AtomicInteger();

		int count() {
			return this.count.get();
		}

	}

	static class CountingFilter extends OncePerRequestFilter {

		private final AtomicInteger calls = new AtomicInteger();

		private final String header;

		CountingFilter(String header) {
			this.header = header;
		}

		int calls() {
			return this.calls.get();
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			this.calls.incrementAndGet();
			response.addHeader(this.header, "yes");
			chain.doFilter(request, response);
		}

	}

	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class FirstFilter extends CountingFilter {

		FirstFilter() {
			super("First");
		}

	}

	@Order(Ordered.LOWEST_PRECEDENCE)
	static class LastFilter extends CountingFilter {

		LastFilter() {
			super("Last");
		}

	}

	@RestController
	static class Controller {

		private final Calls calls;

		Controller(Calls calls) {
			this.calls = calls;
		}

		@GetMapping({ "/slow", "/slower" })
		String slow() {
			this.calls.count.incrementAndGet();
			return "slow";
		}

		@RateLimited("slow")
		@GetMapping("/slow-handler")
		public String slowHandler() {
			this.calls.count.incrementAndGet();
			return "slow";
		}

		@GetMapping({ "/forward/plain/slow", "/forward/slow" })
		ModelAndView forward(HttpServletRequest request) {
			this.calls.count.incrementAndGet();
			return new ModelAndView("forward:" + request.getRequestURI().substring("/forward".length()));
		}

		@GetMapping("/include/slow-handler")
		void include(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			this.calls.count.incrementAndGet();
			response.getOutputStream().print("before ");
			request.getRequestDispatcher("/slow-handler").include(request, response);
			response.getOutputStream().print(" after");
		}

	}

}
