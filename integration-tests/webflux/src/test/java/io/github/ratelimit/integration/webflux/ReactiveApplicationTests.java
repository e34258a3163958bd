package io.github.ratelimit.integration.webflux;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.PathMatchConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How limits are found in a reactive web application: on its handlers and services, and
 * by rules.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveApplicationTests {

	private static final String[] POLICY = { "ratelimit.policies.once.limits[0].limit=1",
			"ratelimit.policies.once.limits[0].window=1d" };

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, OnMethodThatIsNotPublic.class, OnType.class, OnInterface.class,
			OnExchange.class, Around.class })
	void annotatedHandlersAreLimited(Class<?> handler) {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, handler)) {
			assertThat(statuses(context, "/hello?name=a")).containsExactly(200, 429);
		}
	}

	@Test
	void handlersOfALazyApplicationAreLimitedToo() {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, OnMethod.class,
				"spring.main.lazy-initialization=true")) {
			assertThat(statuses(context, "/hello")).containsExactly(200, 429);
		}
	}

	@Test
	void rulesAreMatchedWithinTheBasePath(CapturedOutput output) {
		String[] rule = { POLICY[0], POLICY[1], "ratelimit.rules[0].path=/hello", "ratelimit.rules[0].policy=once",
				"spring.webflux.base-path=/base" };
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, Unlimited.class, rule)) {
			assertThat(statuses(context, "/hello")).containsExactly(404, 404);
			assertThat(statuses(context, "/base/hello")).containsExactly(200, 429);
		}
		rule[2] = "ratelimit.rules[0].path=/base/hello";
		assertThatException().isThrownBy(() -> start(WebApplicationType.REACTIVE, Unlimited.class, rule).close());
		assertThat(output).contains("begins with spring.webflux.base-path, while paths are matched without it");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void rulesIgnoreCaseIfEverythingDoes(boolean all, CapturedOutput output) {
		Class<?> matching = all ? IgnoringCase.class : OneIgnoresCase.class;
		Callable<ConfigurableApplicationContext> application = () -> new SpringApplicationBuilder(Application.class,
				OnMethod.class, matching)
			.web(WebApplicationType.REACTIVE)
			.properties(Map.of("server.port", 0, "server.address", "127.0.0.1"))
			.properties(POLICY)
			.properties("ratelimit.rules[0].path=/hello", "ratelimit.rules[0].policy=once")
			.run();
		if (!all) {
			assertThatException().isThrownBy(application::call);
			assertThat(output).contains("the handler mapping 'ignoring'", "ignores case, which the rules do not");
			return;
		}
		try (ConfigurableApplicationContext context = application.call()) {
			assertThat(statuses(context, "/HELLO")).containsExactly(200, 429);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void applicationThatServesNothingStartsWithRulesAndIsToldThatTheyDoNothing(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start(WebApplicationType.NONE, OnMethod.class, POLICY[0],
				POLICY[1], "ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=once")) {
			assertThat(context.getBean(RateLimiterRegistry.class).find("once")).isNotNull();
		}
		assertThat(output).contains("Nothing enforces ratelimit.rules");
	}

	@Test
	void limitsThatAreTurnedOffAreInNobodysWay() {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, OnMethod.class, POLICY[0],
				POLICY[1], "ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=once",
				"ratelimit.enabled=false")) {
			assertThat(statuses(context, "/hello")).containsExactly(200, 200);
		}
	}

	@Test
	void annotatedServicesAreLimited() {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, Unlimited.class)) {
			assertThat(statuses(context, "/hello")).containsExactly(200, 429);
			assertThat(statuses(context, "/function")).containsExactly(200, 429);
			Greetings greetings = context.getBean(Greetings.class);
			assertThat(greetings.many().collectList().block()).containsExactly("a", "b");
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> greetings.many().blockLast());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/handler", "/function" })
	void rejectedServiceIsTheProblemWithItsHeaderFields(String path) {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, Unanswered.class)) {
			ResponseEntity<String> answer = client(context).get()
				.uri(path)
				.exchangeToMono((response) -> response.toEntity(String.class))
				.repeat(1)
				.blockLast(Duration.ofMinutes(1));
			assertThat(answer).isNotNull();
			assertThat(answer.getStatusCode().value()).isEqualTo(429);
			assertThat(answer.getHeaders().getContentType()).hasToString("application/problem+json");
			assertThat(answer.getBody()).contains("#quota-exceeded", "\"violated-policies\":[\"Greetings.one\"]");
			assertThat(answer.getHeaders().getFirst("RateLimit")).startsWith("\"Greetings.one\";r=0;t=");
			assertThat(answer.getHeaders().getFirst("RateLimit-Policy")).isEqualTo("\"Greetings.one\";q=1;w=86400");
			assertThat(answer.getHeaders().getFirst("X-RateLimit-Remaining")).isEqualTo("0");
			assertThat(Long.parseLong(String.valueOf(answer.getHeaders().getFirst("Retry-After")))).isPositive();
		}
	}

	@Test
	void applicationsOwnExceptionHandlerWins() {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, Answering.class)) {
			assertThat(statuses(context, "/handler")).containsExactly(200, 418);
		}
	}

	private static WebClient client(ConfigurableApplicationContext context) {
		return WebClient
			.create("http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port"));
	}

	private static List<Integer> statuses(ConfigurableApplicationContext context, String path) {
		WebClient client = client(context);
		return Flux.range(0, 2)
			.concatMap((
					i) -> client.get().uri(path).exchangeToMono((response) -> Mono.just(response.statusCode().value())))
			.collectList()
			.blockOptional(Duration.ofMinutes(1))
			.orElseThrow();
	}

	private static ConfigurableApplicationContext start(WebApplicationType type, Class<?> handler,
			String... properties) {
		return new SpringApplicationBuilder(Application.class, handler).web(type)
			.properties(Map.of("server.port", 0, "server.address", "127.0.0.1", "spring.main.banner-mode", "off"))
			.properties(properties)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@RestController
	static class OnMethod {

		@RateLimited(limit = 1, window = "1d")
		@GetMapping("/hello")
		public Mono<String> hello() {
			return Mono.just("hello");
		}

	}

	@RestController
	static class OnMethodThatIsNotPublic {

		@RateLimited(limit = 1, window = "1d")
		@GetMapping("/hello")
		String hello() {
			return "hello";
		}

	}

	@RestController
	@RateLimited(limit = 1, window = "1d")
	static class OnType {

		@GetMapping("/hello")
		Mono<String> hello() {
			return Mono.just("hello");
		}

	}

	interface Api {

		@RateLimited(limit = 1, window = "1d")
		@GetMapping("/hello")
		Mono<String> hello();

	}

	@RestController
	static class OnInterface implements Api {

		@Override
		public Mono<String> hello() {
			return Mono.just("hello");
		}

	}

	@HttpExchange
	interface Exchange {

		@GetExchange("/hello")
		Mono<String> hello();

	}

	@RestController
	static class OnExchange implements Exchange {

		@Override
		@RateLimited(limit = 1, window = "1d")
		public Mono<String> hello() {
			return Mono.just("hello");
		}

	}

	@Controller
	static class Around {

		@RateLimited(limit = 1, window = "1d", key = "#name")
		@GetMapping("/hello")
		public Mono<ResponseEntity<String>> hello(String name) {
			return Mono.just(ResponseEntity.ok("hello"));
		}

	}

	static class IgnoringCase implements WebFluxConfigurer {

		@Override
		public void configurePathMatching(PathMatchConfigurer configurer) {
			configurer.setUseCaseSensitiveMatch(false);
		}

	}

	static class OneIgnoresCase {

		@Bean
		SimpleUrlHandlerMapping ignoring() {
			SimpleUrlHandlerMapping mapping = new SimpleUrlHandlerMapping();
			mapping.setUseCaseSensitiveMatch(false);
			return mapping;
		}

	}

	@Import(Greetings.class)
	@RestController
	static class Unlimited {

		private final Greetings greetings;

		Unlimited(Greetings greetings) {
			this.greetings = greetings;
		}

		@GetMapping("/hello")
		Mono<ResponseEntity<String>> hello() {
			return this.greetings.one()
				.map(ResponseEntity::ok)
				.onErrorReturn(RateLimitExceededException.class,
						ResponseEntity.status(HttpStatusCode.valueOf(429)).build());
		}

		@Bean
		RouterFunction<ServerResponse> function(Greetings greetings) {
			return RouterFunctions.route()
				.GET("/function", (request) -> greetings.other().flatMap(ServerResponse.ok()::bodyValue))
				.onError(RateLimitExceededException.class, (ex, request) -> ServerResponse.status(429).build())
				.build();
		}

	}

	@Import(Greetings.class)
	@RestController
	static class Unanswered {

		private final Greetings greetings;

		Unanswered(Greetings greetings) {
			this.greetings = greetings;
		}

		@GetMapping("/handler")
		Mono<String> handler() {
			return this.greetings.one();
		}

		@Bean
		RouterFunction<ServerResponse> function(Greetings greetings) {
			return RouterFunctions.route()
				.GET("/function", (request) -> greetings.one().flatMap(ServerResponse.ok()::bodyValue))
				.build();
		}

	}

	@Import(Greetings.class)
	@RestController
	static class Answering {

		private final Greetings greetings;

		Answering(Greetings greetings) {
			this.greetings = greetings;
		}

		@GetMapping("/handler")
		Mono<String> handler() {
			return this.greetings.one();
		}

		@ExceptionHandler
		ResponseEntity<String> rejected(RateLimitExceededException ex) {
			return ResponseEntity.status(418).build();
		}

	}

	@Service
	static class Greetings {

		@RateLimited(limit = 1, window = "1d")
		public Mono<String> one() {
			return Mono.just("one");
		}

		@RateLimited(limit = 1, window = "1d")
		public Mono<String> other() {
			return Mono.just("other");
		}

		@RateLimited(limit = 1, window = "1d")
		public Flux<String> many() {
			return Flux.just("a", "b");
		}

	}

}
