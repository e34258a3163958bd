package io.github.ratelimit.redis;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.autoconfigure.OpenToAll;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How often requests over HTTP ask the server, once for all rules and once for the
 * handler method's annotation, and bans that two instances of an application share.
 */
class HttpOverRedisTests extends OneServer {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static ConfigurableApplicationContext one;

	private static ConfigurableApplicationContext other;

	@BeforeAll
	static void start() {
		one = instance();
		other = instance();
	}

	private static ConfigurableApplicationContext instance() {
		return new SpringApplicationBuilder(Application.class).properties("server.port=0", "server.address=127.0.0.1",
				"spring.main.banner-mode=off", "spring.data.redis.port=" + redis.port(), "ratelimit.store=redis",
				"ratelimit.redis.timeout=20s", "ratelimit.redis.rejection-memory=1m", "ratelimit.key=parameter('name')",
				"ratelimit.policies.wide.limit=10", "ratelimit.policies.wide.window=100h",
				"ratelimit.policies.wider.limit=20", "ratelimit.policies.wider.window=100h",
				"ratelimit.policies.narrow.limit=2", "ratelimit.policies.narrow.window=100h",
				"ratelimit.policies.strict.limit=1", "ratelimit.policies.strict.window=100h",
				"ratelimit.policies.strict.ban.after=2", "ratelimit.policies.strict.ban.for=10h",
				"ratelimit.rules[0].path=/ruled", "ratelimit.rules[0].policy=wide", "ratelimit.rules[1].path=/ruled",
				"ratelimit.rules[1].policy=wider", "ratelimit.rules[2].path=/both", "ratelimit.rules[2].policy=wide",
				"ratelimit.rules[3].path=/banning", "ratelimit.rules[3].policy=wide",
				"ratelimit.rules[4].path=/banning", "ratelimit.rules[4].policy=strict")
			.run();
	}

	@AfterAll
	static void stop() {
		one.close();
		other.close();
	}

	@Test
	void twoRulesAreOneCall() throws Exception {
		DecidingCalls calls = DecidingCalls.of(redis);
		for (int i = 1; i <= 10; i++) {
			assertThat(get(one, "/ruled?name=ann").statusCode()).isEqualTo(200);
		}
		assertThat(calls.count()).isEqualTo(10);
		assertThat(get(one, "/ruled?name=ann").statusCode()).isEqualTo(429);
		assertThat(calls.count()).isEqualTo(11);
		assertThat(get(one, "/ruled?name=ann").statusCode()).isEqualTo(429);
		assertThat(calls.count()).as("is remembered").isEqualTo(11);
	}

	@Test
	void aRuleAndAnAnnotationAreTwoCalls() throws Exception {
		DecidingCalls calls = DecidingCalls.of(redis);
		assertThat(get(one, "/both?name=eve").statusCode()).isEqualTo(200);
		assertThat(calls.count()).isEqualTo(2);
		for (int status : new int[] { 200, 429 }) {
			HttpResponse<String> next = get(one, "/both?name=eve");
			assertThat(next.statusCode()).isEqualTo(status);
			assertThat(next.headers().firstValue("RateLimit")).get()
				.asString()
				.contains("\"wide\";r=8", "\"narrow\";r=0");
			assertThat(calls.count()).as("the two, and of a rejection the return, and how the rule stands then")
				.isEqualTo((status == 200) ? 4 : 8);
		}
	}

	@Test
	void aBannedKeyIsKeptOutOfBothAndCostsTheServerNothing() throws Exception {
		assertThat(get(one, "/banning?name=ada").statusCode()).isEqualTo(200);
		assertThat(get(other, "/banning?name=ada").body()).contains("#quota-exceeded");
		HttpResponse<String> banned = get(one, "/banning?name=ada");
		assertThat(banned.body()).contains("#abnormal-usage-detected", "\"violated-policies\":[\"strict\"]");
		assertThat(banned.headers().firstValue("Retry-After")).hasValue("36000");
		assertThat(get(other, "/banning?name=ada").body()).contains("#abnormal-usage-detected");
		DecidingCalls calls = DecidingCalls.of(redis);
		for (int i = 0; i < 20; i++) {
			assertThat(get((i % 2 == 0) ? one : other, "/banning?name=ada").statusCode()).isEqualTo(429);
		}
		assertThat(calls.count()).isZero();
		assertThat(limiter(one, "strict").count(RateLimitOutcome.BANNED)).isEqualTo(11);
		assertThat(limiter(one, "wide").peek("ada").remaining()).isEqualTo(9);
		assertThat(limiter(other, "strict").peek("ada").banned()).isTrue();
		assertThat(get(one, "/banning?name=bob").statusCode()).isEqualTo(200);
	}

	private static RateLimiter limiter(ConfigurableApplicationContext instance, String policy) {
		return instance.getBean(RateLimiterRegistry.class).policy(policy);
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext instance, String path)
			throws IOException, InterruptedException {
		String port = instance.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
		return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OpenToAll.class)
	@RestController
	static class Application {

		@GetMapping({ "/ruled", "/banning" })
		String ruled() {
			return "";
		}

		@RateLimited(policy = "narrow")
		@GetMapping("/both")
		String both() {
			return "";
		}

	}

}
