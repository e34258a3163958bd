package io.github.ratelimit.integration.webflux;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules on Netty. Each test has budgets of its own, by a header or by what it reads.
 */
class ReactiveRulesTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	@AutoClose
	private static NettyServer server;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class, NettyServer.all(
				NettyServer.policy("once", 1, "1d", "key=header('X-Key')"),
				NettyServer.policy("same", 1, "1d", "key=header('X-Key')"),
				NettyServer.policy("variable", 1, "1d", "key=path + pathVariable('id') + method"),
				NettyServer.policy("form", 1, "1d", "key=parameter('name')"),
				NettyServer.policy("session", 1, "1d", "key=session"),
				NettyServer.policy("cookie", 1, "1d", "key=cookie('id')"),
				NettyServer.policy("twice", 2, "1d", "key=header('X-Key')"),
				new String[] { "GET /ruled/** -> once", "/function -> once", "/rewritten -> once", "/same -> same",
						"/variable/{id} -> variable", "/form/** -> form", "/session -> session", "/cookie -> cookie",
						"/stream -> once", "/listed -> twice", "spring.http.codecs.max-in-memory-size=2KB",
						"ratelimit.client-address.trusted-proxies=127.0.0.1", "ratelimit.policies.other.limit=5",
						"ratelimit.policies.other.window=1d", "/listed -> other" }));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled", "/ruled/", "/ruled/a", "/ruled/a%2Fb", "/ruled;v=1/a", "/%72uled/a", "//ruled/a",
			"/free/../ruled/a", "/function", "/stream" })
	void aRuleAppliesHoweverThePathIsSpelled(String path) throws IOException {
		assertThat(raw(path, path)).doesNotContain("429 Too Many").contains("RateLimit: \"once\";r=0;t=86400");
		assertThat(raw(path, path)).startsWith("HTTP/1.1 429 ")
			.contains("RateLimit: \"once\";r=0;t=86", "Retry-After: ");
	}

	private static String raw(String path, String key) throws IOException {
		try (Socket socket = server
			.open("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Key: " + key + "\r\n\r\n")) {
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
		}
	}

	@Test
	void aRuleForGetCoversHeadAndNothingElse() {
		assertThat(server.send("HEAD", "/ruled", "", "X-Key", "head").statusCode()).isEqualTo(200);
		assertThat(server.status("/ruled", "X-Key", "head")).isEqualTo(429);
		assertThat(server.send("POST", "/ruled", "", "X-Key", "head").headers().firstValue("RateLimit")).isEmpty();
		assertThat(server.status("/Ruled", "X-Key", "head")).isEqualTo(404);
	}

	@Test
	void aPreflightIsNotLimited() throws IOException {
		for (int i = 0; i < 2; i++) {
			try (Socket socket = server
				.open("OPTIONS /cookie HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: http://b\r\n"
						+ "Access-Control-Request-Method: GET\r\nCookie: id=preflight\r\n\r\n")) {
				assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
					.startsWith("HTTP/1.1 200 ")
					.doesNotContain("RateLimit");
			}
		}
	}

	@Test
	void whatIsNotThereIsLimitedTooAndTellsItsFields() {
		HttpResponse<String> missing = server.get("/ruled/missing", "X-Key", "missing");
		assertThat(missing.statusCode()).isEqualTo(404);
		assertThat(missing.headers().firstValue("RateLimit-Policy")).hasValue("\"once\";q=1;w=86400");
		assertThat(server.status("/ruled/missing", "X-Key", "missing")).isEqualTo(429);
	}

	@Test
	void aRejectionIsAProblem() {
		server.get("/ruled", "X-Key", "problem");
		HttpResponse<String> rejected = server.get("/ruled", "X-Key", "problem");
		assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(rejected.body()).contains("\"violated-policies\":[\"once\"]");
	}

	@Test
	void aRequestThatMeetsAPolicyInTwoPlacesPaysOnce() {
		assertThat(server.status("/same", "X-Key", "twice")).isEqualTo(200);
		assertThat(server.status("/same", "X-Key", "twice")).isEqualTo(429);
	}

	@Test
	void rulesApplyToWhatAFilterMakesOfARequest() {
		assertThat(server.status("/outer", "X-Key", "rewritten")).isEqualTo(200);
		assertThat(server.status("/outer", "X-Key", "rewritten")).isEqualTo(429);
	}

	@Test
	void expressionsReadTheRulesPatternAndItsVariables() {
		assertThat(server.status("/variable/1")).isEqualTo(200);
		assertThat(server.status("/variable/1;a/?a")).isEqualTo(429);
		assertThat(server.status("/variable/2")).isEqualTo(200);
	}

	@Test
	void onlyASessionThatWasStartedIsAKey() {
		String cookie = server.get("/start").headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
		assertThat(server.status("/session", "Cookie", cookie)).isEqualTo(200);
		assertThat(server.status("/session", "Cookie", cookie)).isEqualTo(429);
		// others share the address
		HttpResponse<String> other = server.get("/session");
		assertThat(other.statusCode()).isEqualTo(200);
		assertThat(other.headers().firstValue("Set-Cookie")).isEmpty();
		assertThat(server.status("/session")).isEqualTo(429);
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
		assertThat(server.send("POST", path + "?name=other" + path, form, "Content-Type", FORM).statusCode())
			.isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "/form/data, " + FORM + ", name=%zz, 500, 1", "/form/body, " + FORM + ", name=%zz, 200, 2",
			"/form/body, " + FORM + ", large, 413, 3", "/form/body, nonsense, name=a, 200, 4",
			"/form/body, " + FORM + ";charset=nowhere, name=a, 200, 5", "/form/body, text/plain, name=a, 200, 6",
			"/form/body, multipart/form-data;boundary=x, name=a, 200, 7" })
	void aFormThatCannotBeReadCountsForTheAddress(String path, String type, String body, int status, int client) {
		String sent = body.equals("large") ? "name=" + "a".repeat(3000) : body;
		String[] headers = { "Content-Type", type, "X-Forwarded-For", "10.0.0." + client };
		assertThat(server.send("POST", path, sent, headers).statusCode()).isEqualTo(status);
		assertThat(server.send("POST", path, sent, headers).statusCode()).isEqualTo(429);
	}

	@Test
	void severalRulesAreDecidedTogetherAndListedBesideWhatTheHandlerTells() {
		HttpResponse<String> answer = server.get("/listed", "X-Key", "listed", "Origin", "http://a");
		assertThat(answer.headers().allValues("RateLimit")).hasSize(2)
			.anySatisfy((line) -> assertThat(line).isEqualTo("\"target\";r=7;t=1"))
			.anySatisfy((line) -> assertThat(line).contains("\"twice\";r=1;", "\"other\";r=4;"));
		assertThat(answer.headers().allValues("Access-Control-Expose-Headers"))
			.anySatisfy((line) -> assertThat(line).contains("RateLimit, ", "Retry-After"));
		server.get("/listed", "X-Key", "listed");
		assertThat(server.status("/listed", "X-Key", "listed")).isEqualTo(429);
		assertThat(server.get("/listed", "X-Key", "unlisted").headers().allValues("RateLimit"))
			.anySatisfy((line) -> assertThat(line).contains("\"other\";r=2;"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Application {

		@RequestMapping({ "/ruled", "/ruled/a", "/variable/{id}", "/session", "/rewritten" })
		Mono<String> ruled() {
			return Mono.just("ruled");
		}

		@CrossOrigin
		@GetMapping("/cookie")
		String cookie() {
			return "cookie";
		}

		@RateLimited("same")
		@GetMapping("/same")
		String same() {
			return "same";
		}

		@GetMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<String> stream() {
			return Flux.just("a", "b");
		}

		@CrossOrigin
		@GetMapping("/listed")
		Mono<String> listed(ServerWebExchange exchange) {
			exchange.getResponse().getHeaders().add("RateLimit", "\"target\";r=7;t=1");
			return Mono.just("listed");
		}

		@GetMapping("/start")
		Mono<String> session(ServerWebExchange exchange) {
			return exchange.getSession()
				.doOnNext((session) -> session.getAttributes().put("a", "b"))
				.map((session) -> "started");
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
		RouterFunction<ServerResponse> function() {
			return RouterFunctions.route()
				.GET("/function", (request) -> ServerResponse.ok().bodyValue("function"))
				.build();
		}

		@Bean
		@Order(0)
		WebFilter rewriting() {
			return (exchange, chain) -> chain.filter(exchange.getRequest().getPath().value().equals("/outer")
					? exchange.mutate().request((request) -> request.path("/rewritten")).build() : exchange);
		}

	}

	record Named(String name) {

	}

}
