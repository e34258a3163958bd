package io.github.ratelimit.integration.webflux;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.web.reactive.RateLimitRejectionHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.template.TemplateAvailabilityProvider;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How Spring WebFlux answers what is rejected before, in and after its handlers, and what
 * only it has. What both web stacks answer alike is in the suite.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveRejectionTests {

	/* What rejects before a handler is called, in it, in its answer, and in a filter. */
	private static final List<String> PATHS = List.of("/ruled", "/limited", "/argument?name=a", "/plain", "/foreign",
			"/signalled", "/thrown", "/future", "/function", "/function-body", "/filtered");

	@Test
	void whateverRejectsAProgramGetsTheProblemAndWhatElseARejectionCausesIsTheApplicationsToHandle() {
		try (NettyServer server = start(CatchAllAdvice.class)) {
			for (String path : PATHS) {
				assertProblem(reject(server, path), path);
			}
			for (String path : List.of("/wrapped", "/wrapped-function", "/wrapped-throw")) {
				assertThat(reject(server, path).body()).as(path).isEqualTo("caught OrderFailed");
			}
		}
	}

	@Test
	void aBodyIsNotReadBeforeItIsDecidedAndHoldsNothingThatIsChargedByItsOutcome() throws IOException {
		try (NettyServer server = start(Api.class)) {
			assertThat(post(server, "/body", "{")).isEqualTo(400);
			int before = Api.ATTRIBUTES.get();
			assertThat(post(server, "/body", "{")).isEqualTo(429);
			assertThat(Api.ATTRIBUTES).hasValue(before);
			String head = "POST /charged HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
			try (Socket slow = server.open(head + "{")) {
				for (int i = 0; i < 3; i++) {
					assertThat(post(server, "/charged", "{}")).isEqualTo(200);
				}
				assertThat(slow.isClosed()).isFalse();
			}
		}
	}

	@Test
	void theAdviceThatNamesTheExceptionAnswersWhatItHasCausedWhereNoAdviceIsForThat() {
		try (NettyServer server = start(AdviceForCauses.class)) {
			for (String path : List.of("/wrapped", "/wrapped-function", "/wrapped-throw")) {
				HttpResponse<String> answer = reject(server, path);
				assertThat(answer.statusCode()).as(path).isEqualTo(503);
				assertThat(answer.body()).as(path).isEqualTo("sorry for OrderFailed of service");
			}
		}
	}

	private static int post(NettyServer server, String path, String json) {
		return server.send("POST", path, json, "Content-Type", "application/json").statusCode();
	}

	@Test
	void aStreamThatIsRejectedHalfwayBreaksOffAndIsNoError(CapturedOutput output) throws IOException {
		try (NettyServer server = start(Api.class)) {
			server.get("/signalled");
			try (Socket socket = server.open("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")) {
				assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
					.startsWith("HTTP/1.1 200")
					.contains("data:first")
					.doesNotEndWith("0\r\n\r\n");
			}
		}
		assertThat(output).doesNotContain("ERROR", "WARN");
	}

	@Test
	void theAdviceThatNamesTheExceptionAnswersWithWhateverArgumentsItTakesUnlessItFails(CapturedOutput output) {
		try (NettyServer server = start(SpecificAdvice.class)) {
			for (String path : PATHS) {
				assertRejected(reject(server, path, "X-Agent", "agent"), 503, path,
						path.replaceAll("\\?.*", "") + " custom agent");
				assertProblem(reject(server, path, "X-Agent", "fail"), path);
			}
		}
		assertThat(output).contains("Failure in @ExceptionHandler").contains("expected by the test");
	}

	@Test
	void theRejectionHandlerAnswersWhateverRejects() {
		try (NettyServer server = start(WithRejectionHandler.class)) {
			PATHS.forEach((path) -> assertRejected(reject(server, path), 503, path, "sorry"));
		}
	}

	@Test
	void aBrowserIsShownThePageThatKnowsPolicyAndTime() {
		try (NettyServer server = start(WithView.class, Templates.PROPERTY + "=true")) {
			for (String path : PATHS) {
				assertRejected(reject(server, path, "Accept", "text/html"), 429, path,
						"{error=Too Many Requests, path=" + path.replaceAll("\\?.*", "") + ", policy=",
						", retryAfter=3600, status=429");
			}
		}
	}

	@Test
	void aPageThatFailsIsNoFailureOfTheRejection(CapturedOutput output) {
		try (NettyServer server = start(Api.class, Templates.PROPERTY + "=true")) {
			for (String path : List.of("/ruled", "/limited", "/signalled")) {
				assertProblem(reject(server, path, "Accept", "text/html"), path);
			}
		}
		assertThat(output.getAll().split("The error page for rejected requests failed", -1)).hasSize(2);
	}

	private static void assertProblem(HttpResponse<String> answer, String path) {
		assertRejected(answer, 429, path, "\"violated-policies\":[\"");
		assertThat(answer.headers().firstValue("Content-Type")).as(path).hasValue("application/problem+json");
		assertThat(answer.headers().firstValue("Content-Language")).as(path).isEmpty();
	}

	private static void assertRejected(HttpResponse<String> answer, int status, String path, String... body) {
		assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(status);
		assertThat(answer.headers().allValues("Retry-After")).as(path).containsExactly("3600");
		assertThat(answer.headers().allValues("RateLimit")).as(path).hasSize(1);
		assertThat(answer.body()).as(path).contains(body);
	}

	private static HttpResponse<String> reject(NettyServer server, String path, String... headers) {
		server.context().getBean(RateLimiterRegistry.class).policies().forEach((limiter) -> limiter.reset("all"));
		assertThat(server.status(path)).as(path).isEqualTo(200);
		return server.get(path, headers);
	}

	private static NettyServer start(Class<?> application, String... properties) {
		return NettyServer.start(application, NettyServer.all(new String[] { "ratelimit.key='all'", "/ruled -> rule" },
				NettyServer.policy("rule", 1, "1h"), NettyServer.policy("service", 1, "1h"), properties));
	}

	static class OrderFailed extends RuntimeException {

		OrderFailed(Throwable cause) {
			super(cause);
		}

	}

	@Service
	static class Helper {

		@RateLimited("service")
		public Mono<String> later() {
			return Mono.just("helped");
		}

		@RateLimited("service")
		public String now() {
			return "helped";
		}

	}

	@EnableAutoConfiguration
	@Import(Helper.class)
	@RestController
	static class Api {

		static final AtomicInteger ATTRIBUTES = new AtomicInteger();

		private final Helper helper;

		Api(Helper helper) {
			this.helper = helper;
		}

		@ModelAttribute("before")
		int before() {
			return ATTRIBUTES.incrementAndGet();
		}

		@GetMapping("/ruled")
		public String ruled() {
			return "ruled";
		}

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/limited")
		public Mono<String> limited() {
			return Mono.just("limited");
		}

		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/plain")
		public String plain() {
			return "plain";
		}

		/* What is no type of Reactor's is subscribed to without its context. */
		@RateLimited(limit = 1, window = "1h")
		@GetMapping("/foreign")
		public Flow.Publisher<String> foreign() {
			return JdkFlowAdapter.publisherToFlowPublisher(Flux.just("foreign"));
		}

		@RateLimited(limit = 1, window = "1h", key = "#name.isEmpty() ? 'none' : 'all'")
		@GetMapping("/argument")
		public Mono<String> argument(String name) {
			return Mono.just(name);
		}

		@RateLimited(limit = 1, window = "1h")
		@PostMapping("/body")
		public Mono<String> body(@RequestBody Map<String, Object> body) {
			return Mono.just("body " + body);
		}

		@RateLimited(limit = 1, window = "1h", charge = "status >= 400")
		@PostMapping("/charged")
		public Mono<String> charged(@RequestBody Map<String, Object> body) {
			return Mono.just("body " + body);
		}

		@GetMapping("/signalled")
		public Mono<String> signalled() {
			return this.helper.later();
		}

		@GetMapping("/thrown")
		public Mono<String> thrown() {
			return Mono.just(this.helper.now());
		}

		@GetMapping("/future")
		public Mono<String> future() {
			return Mono.fromFuture(() -> this.helper.later().toFuture());
		}

		@GetMapping("/wrapped")
		public Mono<String> wrapped() {
			return this.helper.later().onErrorMap(OrderFailed::new);
		}

		@GetMapping("/wrapped-throw")
		public Mono<String> wrappedThrow() {
			try {
				return Mono.just(this.helper.now());
			}
			catch (RateLimitExceededException ex) {
				throw new OrderFailed(ex);
			}
		}

		@GetMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		public Flux<String> stream() {
			return Flux.just("first").concatWith(this.helper.later());
		}

		@Bean
		static RateLimitClock clock() {
			return ManualClock.atMidnight();
		}

		@Bean
		static RouterFunction<ServerResponse> functions(Helper helper) {
			return RouterFunctions.route()
				.GET("/function", (request) -> helper.later().flatMap(ServerResponse.ok()::bodyValue))
				.GET("/function-body", (request) -> ServerResponse.ok().body(helper.later(), String.class))
				.GET("/wrapped-function",
						(request) -> helper.later()
							.onErrorMap(OrderFailed::new)
							.flatMap(ServerResponse.ok()::bodyValue))
				.GET("/filtered", (request) -> ServerResponse.ok().bodyValue("filtered"))
				.build();
		}

		@Bean
		static WebFilter filter(Helper helper) {
			return (exchange, chain) -> {
				if (!exchange.getRequest().getPath().value().equals("/filtered")) {
					return chain.filter(exchange);
				}
				exchange.getResponse().getHeaders().set("Content-Language", "en");
				return helper.later().then(chain.filter(exchange));
			};
		}

	}

	@Import(Api.class)
	@RestControllerAdvice
	static class CatchAllAdvice {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> caught(Exception ex) {
			return ResponseEntity.status(500).body("caught " + ex.getClass().getSimpleName());
		}

	}

	@Import(Api.class)
	@RestControllerAdvice
	static class AdviceForCauses {

		@ExceptionHandler(RateLimitExceededException.class)
		ResponseEntity<String> handle(RateLimitExceededException cause, OrderFailed failure) {
			return ResponseEntity.status(503)
				.body("sorry for " + failure.getClass().getSimpleName() + " of " + cause.policy().name());
		}

	}

	record Custom(String text) {

	}

	@Import(CatchAllAdvice.class)
	@RestControllerAdvice
	static class SpecificAdvice implements WebFluxConfigurer, HandlerMethodArgumentResolver {

		@ExceptionHandler
		Mono<ResponseEntity<String>> handle(RateLimitExceededException ex, ServerHttpRequest request,
				ServerHttpResponse response, Custom custom, @RequestHeader("X-Agent") String agent) {
			response.getHeaders().set("Content-Language", "en");
			return agent.equals("fail") ? Mono.error(new IllegalStateException("expected by the test"))
					: Mono.just(ResponseEntity.status(503).body(request.getPath() + " " + custom.text() + " " + agent));
		}

		@Override
		public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
			configurer.addCustomResolver(this);
		}

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.getParameterType() == Custom.class;
		}

		@Override
		public Mono<Object> resolveArgument(MethodParameter parameter, BindingContext context,
				ServerWebExchange exchange) {
			return Mono.just(new Custom("custom"));
		}

	}

	@Import(Api.class)
	static class WithRejectionHandler {

		@Bean
		RateLimitRejectionHandler sorry() {
			return (exchange, policy, decision) -> {
				exchange.getResponse().setRawStatusCode(503);
				return write(exchange, "sorry");
			};
		}

		static Mono<Void> write(ServerWebExchange exchange, String text) {
			return exchange.getResponse()
				.writeWith(
						Mono.just(exchange.getResponse().bufferFactory().wrap(text.getBytes(StandardCharsets.UTF_8))));
		}

	}

	/**
	 * Knows one template, which only an application with a resolver for it can show.
	 */
	static class Templates implements TemplateAvailabilityProvider {

		static final String PROPERTY = "test.template";

		@Override
		public boolean isTemplateAvailable(String view, Environment environment, ClassLoader classLoader,
				ResourceLoader resourceLoader) {
			return view.equals("error/429") && environment.containsProperty(PROPERTY);
		}

	}

	@Import(Api.class)
	static class WithView {

		@Bean
		ViewResolver views() {
			View view = (model, contentType, exchange) -> WithRejectionHandler.write(exchange,
					new TreeMap<>(Objects.requireNonNull(model)).toString());
			return (name, locale) -> name.equals("error/429") ? Mono.just(view) : Mono.empty();
		}

	}

}
