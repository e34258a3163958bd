package io.github.ratelimit.ai;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.function.BiConsumer;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Models that handlers of requests call, on Tomcat and on Netty: whose budget it is, and
 * how a rejection is answered.
 */
class WebTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	@ParameterizedTest
	@EnumSource(value = WebApplicationType.class, names = { "SERVLET", "REACTIVE" })
	void rejectionIsAnsweredAsEver(WebApplicationType type) {
		with(type, (context, port) -> {
			context.getBean(FakeModel.class).answers(FakeModel.answer("Yes", 10, 940));
			for (String path : new String[] { "/call", "/stream", "/client" }) {
				String key = "ada" + path;
				HttpResponse<String> first = get(port, path, key);
				assertThat(first.statusCode()).as(path).isEqualTo(200);
				assertThat(first.body()).contains("Yes");
				HttpResponse<String> second = get(port, path, key);
				assertThat(second.statusCode()).as(path).isEqualTo(429);
				assertThat(second.headers().firstValue("Retry-After")).isPresent();
				assertThat(second.headers().firstValue("RateLimit")).get().asString().contains("\"chat\";r=50");
				assertThat(second.body()).contains("\"violated-policies\":[\"chat\"]");
			}
		});
	}

	@ParameterizedTest
	@EnumSource(value = WebApplicationType.class, names = { "SERVLET", "REACTIVE" })
	void allRoundsOfAConversationAreChargedToTheClientOfTheRequest(WebApplicationType type) {
		with(type, (context, port) -> {
			context.getBean(FakeModel.class).answersTo(new ToolRounds());
			for (String path : new String[] { "/tools", "/tools/stream" }) {
				assertThat(get(port, path, "bob" + path).body()).isEqualTo("Done");
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(1000 - registry.peek("chat", "bob" + path).remaining()).as(path).isEqualTo(20 + 14 + 40);
				assertThat(registry.peek("chat", "shared:").remaining()).isEqualTo(1000);
			}
		});
	}

	private static HttpResponse<String> get(int port, String path, String key) {
		try {
			return CLIENT.send(
					HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).header("X-Key", key).build(),
					HttpResponse.BodyHandlers.ofString());
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void with(WebApplicationType type, BiConsumer<ConfigurableApplicationContext, Integer> test) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Chat.class).web(type)
			.run("--server.port=0", "--spring.reactor.context-propagation=auto", "--spring.main.banner-mode=off",
					"--ratelimit.policies.chat.limit=1000", "--ratelimit.policies.chat.window=1d",
					"--ratelimit.ai.policy=chat", "--spring.ai.model.chat=none", "--spring.ai.model.embedding=none",
					"--spring.ai.model.image=none", "--spring.ai.model.audio.speech=none",
					"--spring.ai.model.audio.transcription=none", "--spring.ai.model.moderation=none",
					"--ratelimit.ai.key=header('X-Key')")) {
			test.accept(context, context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Chat.Handlers.class, Chat.OnThreadsOfRequests.class, Chat.OnThreadsThatMayWait.class })
	static class Chat {

		@Bean
		FakeModel model() {
			return new FakeModel();
		}

		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

		@RestController
		static class Handlers {

			private final ChatModel model;

			private final ChatClient client;

			Handlers(ChatModel model, ChatClient.Builder builder) {
				this.model = model;
				this.client = builder.build();
			}

			@GetMapping(path = "/stream", produces = MediaType.TEXT_PLAIN_VALUE)
			Flux<String> stream() {
				return this.model.stream("Hello world");
			}

			@GetMapping(path = "/client", produces = MediaType.TEXT_PLAIN_VALUE)
			Flux<String> client() {
				return this.client.prompt("Hello world").stream().content();
			}

			@GetMapping(path = "/tools/stream", produces = MediaType.TEXT_PLAIN_VALUE)
			Flux<String> toolsStream() {
				return this.client.prompt("Hello world").tools(new ToolRounds.Expert(this.model)).stream().content();
			}

			String callModel() {
				return this.model.call("Hello world");
			}

			String callWithTools() {
				return this.client.prompt("Hello world").tools(new ToolRounds.Expert(this.model)).call().content();
			}

		}

		@RestController
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
		record OnThreadsOfRequests(Handlers handlers) {

			@GetMapping("/call")
			String call() {
				return this.handlers.callModel();
			}

			@GetMapping("/tools")
			String tools() {
				return this.handlers.callWithTools();
			}

		}

		@RestController
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
		record OnThreadsThatMayWait(Handlers handlers) {

			@GetMapping("/call")
			Mono<String> call() {
				return Mono.fromCallable(this.handlers::callModel).subscribeOn(Schedulers.boundedElastic());
			}

			@GetMapping("/tools")
			Mono<String> tools() {
				return Mono.fromCallable(this.handlers::callWithTools).subscribeOn(Schedulers.boundedElastic());
			}

		}

	}

}
