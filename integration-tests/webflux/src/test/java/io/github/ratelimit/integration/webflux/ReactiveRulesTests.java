package io.github.ratelimit.integration.webflux;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.request.WaitingRoom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What only rules of a reactive application meet: forms, which its handlers read after
 * they were read for a key, and filters that change the exchange.
 */
class ReactiveRulesTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	@AutoClose
	private static NettyServer server;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class,
				NettyServer.all(NettyServer.policy("once", 1, "1d"), NettyServer.policy("own", 1, "1d"),
						NettyServer.policy("form", 1, "1d", "key=parameter('name')"),
						NettyServer.policy("waits", 1, "1d", "algorithm=leaky-bucket", "burst=5",
								"key=parameter('name')", "shadow-limits[0].limit=5", "shadow-limits[0].window=1d"),
						NettyServer.policy("within", 1, "1d"),
						new String[] { "/within -> within", "/waits -> waits", "/rewritten -> once", "/own -> own",
								"/form/** -> form", "spring.http.codecs.max-in-memory-size=2KB",
								"ratelimit.client-address.trusted-proxies=127.0.0.1" }));
	}

	@Test
	void rulesApplyToWhatAFilterMakesOfARequest() {
		assertThat(server.status("/outer")).isEqualTo(200);
		assertThat(server.status("/outer", "Origin", "https://example.com")).isEqualTo(429);
	}

	@Test
	void rulesApplyToWhatIsWithinTheContextPathThatAFilterSets() {
		assertThat(server.status("/context/within")).isEqualTo(200);
		assertThat(server.status("/context/within")).isEqualTo(429);
	}

	@Test
	void rejectionInAFilterIsAnsweredThoughTheApplicationAnswersAllErrors() {
		try (NettyServer answering = NettyServer.start(AnsweringErrors.class)) {
			assertThat(answering.status("/any")).isEqualTo(404);
			assertThat(answering.status("/any")).isEqualTo(429);
		}
	}

	/* The request is asked of in shadow before it takes a place to wait. */
	@Test
	void aClientThatGoesWhileItsRequestIsDecidedOnLeavesItsPlace() {
		assertThat(server.status("/waits?name=a")).isEqualTo(404);
		BaseSubscriber<Void> client = new BaseSubscriber<>() {
		};
		server.context().getBean(Application.class).inShadow = client::cancel;
		server.context()
			.getBean(HttpHandler.class)
			.handle(MockServerHttpRequest.get("/waits?name=a").build(), new MockServerHttpResponse())
			.subscribe(client);
		assertThat(client.isDisposed()).isTrue();
		assertThat(server.context().getBean(WaitingRoom.class).waiting()).isZero();
	}

	@Test
	void whatAHandlerSetsAfterTheDecisionStands() {
		HttpHeaders fields = server.get("/own").headers();
		assertThat(fields.allValues("X-RateLimit-Limit")).containsExactly("7");
		assertThat(fields.allValues("X-RateLimit-Remaining")).containsExactly("0");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/form/data", "/form/body", "/form/model" })
	void aFormIsReadForTheKeyAndStillThereForTheHandler(String path) {
		String form = "name=%C3%A4" + path + "&more=1";
		HttpResponse<String> answer = server.send("POST", path, form, "Content-Type", FORM);
		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.body()).isEqualTo(path.equals("/form/body") ? form : "\u00e4" + path);
		assertThat(server.send("POST", path, form, "Content-Type", FORM + ";charset=utf-8").statusCode())
			.isEqualTo(429);
	}

	@ParameterizedTest
	@CsvSource({ "/form/data, " + FORM + ", name=%zz, 500, 1", "/form/body, " + FORM + ", name=%zz, 200, 2",
			"/form/body, " + FORM + ", large, 413, 3", "/form/body, nonsense, name=a, 200, 4",
			"/form/body, " + FORM + ";charset=nowhere, name=a, 200, 5", "/form/body, text/plain, name=a, 200, 6",
			"/form/body, multipart/form-data;boundary=x, name=a, 200, 7",
			"/form/body?name=b, " + FORM + ";charset=utf-16, name=a, 200, 8",
			"/form/body?name=b, " + FORM + ", name=%zz, 200, 9", "/form/body?name=b, " + FORM + ", large, 413, 10",
			"/form/body?name=b, none, name=a, 200, 11", "/form/body?name=b, " + FORM + ", name=%ff, 200, 12" })
	void aFormThatCannotBeReadCountsForTheAddress(String path, String type, String body, int status, int client) {
		String sent = body.equals("large") ? "name=" + "a".repeat(3000) : body;
		String[] headers = { type.equals("none") ? "X-None" : "Content-Type", type, "X-Forwarded-For",
				"10.0.0." + client };
		assertThat(server.send("POST", path, sent, headers).statusCode()).isEqualTo(status);
		assertThat(server.send("POST", path, sent, headers).statusCode()).isEqualTo(429);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Application {

		private volatile Runnable inShadow = () -> {
		};

		@Bean
		RateLimitListener listener() {
			return (policy, key, decision, outcome) -> {
				if (policy.mode() == RateLimitMode.SHADOW) {
					this.inShadow.run();
				}
			};
		}

		@GetMapping("/rewritten")
		Mono<String> rewritten() {
			return Mono.just("rewritten");
		}

		@GetMapping("/within")
		Mono<String> within() {
			return Mono.just("within");
		}

		@GetMapping("/own")
		ResponseEntity<String> own() {
			return ResponseEntity.ok().header("X-RateLimit-Limit", "7").body("own");
		}

		@PostMapping("/form/data")
		Mono<String> data(ServerWebExchange exchange) {
			return exchange.getFormData().mapNotNull((form) -> form.getFirst("name"));
		}

		@PostMapping("/form/body")
		Mono<String> body(ServerWebExchange exchange) {
			return DataBufferUtils.join(exchange.getRequest().getBody())
				.map((body) -> body.toString(StandardCharsets.UTF_8));
		}

		@PostMapping("/form/model")
		String model(Named named) {
			return named.name();
		}

		@Bean
		@Order(0)
		WebFilter rewriting() {
			return (exchange, chain) -> chain.filter(exchange.getRequest().getPath().value().equals("/outer")
					? exchange.mutate().request((request) -> request.path("/rewritten")).build() : exchange);
		}

		@Bean
		@Order(1)
		WebFilter contextPath() {
			return (exchange, chain) -> chain.filter(exchange.getRequest().getPath().value().startsWith("/context/")
					? exchange.mutate().request((request) -> request.contextPath("/context")).build() : exchange);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class AnsweringErrors {

		@Bean
		Limited limited() {
			return new Limited();
		}

		@Bean
		WebFilter calling(Limited limited) {
			return (exchange, chain) -> limited.once().then(chain.filter(exchange));
		}

		@Bean
		@Order(-2)
		WebExceptionHandler allErrors() {
			return (exchange, failure) -> {
				HttpStatus status = (failure instanceof ResponseStatusException) ? HttpStatus.NOT_FOUND
						: HttpStatus.INTERNAL_SERVER_ERROR;
				exchange.getResponse().setStatusCode(status);
				return exchange.getResponse().setComplete();
			};
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1d", key = "'all'")
		public Mono<Void> once() {
			return Mono.empty();
		}

	}

	record Named(String name) {

	}

}
