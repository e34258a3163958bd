package io.github.ratelimit.integration.suite;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plans that take their time to ask for: what a policy in front rejects costs no
 * question, and what it lets pass is decided by its caller's plan.
 */
@Tag("stack")
class AwaitedPlansTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "front: 5 per 1h; key='all'",
				"expressed: 1 per 1h; key=header('X-Key'); plan=@plans.of(header('X-Key')); plans.pro.limit=100; plans.pro.window=1h",
				"resolved: 1 per 1h; key=header('X-Key'); plans.pro.limit=100; plans.pro.window=1h",
				"/rule/expressed -> front", "/rule/expressed -> expressed", "/rule/resolved -> front",
				"/rule/resolved -> resolved", "/both -> front", "ratelimit.plans.timeout=10s");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	private static int asked() {
		return server.bean(Plans.class).asked.get();
	}

	private static Answer get(String path, String key) {
		return server.get(path, "X-Key", key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/rule/expressed", "/rule/resolved", "/handler/expressed", "/handler/resolved",
			"/service/expressed", "/service/resolved" })
	void aClientThatInventsKeysIsAskedForAsOftenAsThePolicyInFrontLetsItPass(String path) {
		int before = asked();
		for (int i = 0; i < 40; i++) {
			get(path, path + " invented " + i).is((i < 5) ? 200 : 429);
		}
		assertThat(asked() - before).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/rule/expressed", "/rule/resolved", "/handler/expressed", "/handler/resolved", "/both" })
	void whatThePolicyInFrontLetsPassHasItsPlan(String path) {
		String key = path + " customer";
		for (int i = 0; i < 5; i++) {
			assertThat(get(path, key + i).is(200).field("RateLimit")).contains(";r=99;");
		}
		get(path, key + 5).is(429);
		server.forget();
		assertThat(get(path, key + 5).is(200).field("RateLimit")).contains(";r=99;");
	}

	@Import({ Controller.class, Limited.class, Plans.class })
	static class Application {

		@Bean
		RateLimitPlanResolver resolver(Plans plans) {
			return (policy, key) -> plans.of(key);
		}

	}

	/**
	 * As if it asked a database.
	 */
	@Component("plans")
	static class Plans {

		final AtomicInteger asked = new AtomicInteger();

		public String of(String key) {
			this.asked.incrementAndGet();
			return "pro";
		}

	}

	@RestController
	static class Controller {

		private final Limited limited;

		Controller(Limited limited) {
			this.limited = limited;
		}

		@GetMapping({ "/rule/expressed", "/rule/resolved" })
		Mono<String> ruled() {
			return Mono.just("served");
		}

		@GetMapping("/handler/expressed")
		@RateLimited("front")
		@RateLimited("expressed")
		Mono<String> expressed() {
			return Mono.just("served");
		}

		@GetMapping("/handler/resolved")
		@RateLimited("front")
		@RateLimited("resolved")
		Mono<String> resolved() {
			return Mono.just("served");
		}

		@GetMapping("/both")
		@RateLimited("front")
		@RateLimited("expressed")
		Mono<String> both() {
			return Mono.just("served");
		}

		@GetMapping("/service/expressed")
		Mono<String> serviceExpressed() {
			return this.limited.expressed();
		}

		@GetMapping("/service/resolved")
		Mono<String> serviceResolved() {
			return this.limited.resolved();
		}

	}

	@Service
	static class Limited {

		@RateLimited("front")
		@RateLimited("expressed")
		public Mono<String> expressed() {
			return Mono.just("served");
		}

		@RateLimited("front")
		@RateLimited("resolved")
		public Mono<String> resolved() {
			return Mono.just("served");
		}

	}

}
