package io.github.ratelimit.redis;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bans over HTTP by two instances of an application that share a server.
 */
class HttpBansTests {

	private static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
			+ "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration";

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static TestRedis redis;

	private static ConfigurableApplicationContext one;

	private static ConfigurableApplicationContext other;

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		one = instance();
		other = instance();
	}

	private static ConfigurableApplicationContext instance() {
		return new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off", WITHOUT_SECURITY,
					"spring.data.redis.port=" + redis.port(), "ratelimit.store=redis", "ratelimit.redis.timeout=20s",
					"ratelimit.redis.rejection-memory=1m", "ratelimit.key=parameter('name')",
					"ratelimit.policies.roomy.limit=100", "ratelimit.policies.roomy.window=100h",
					"ratelimit.policies.strict.limit=1", "ratelimit.policies.strict.window=100h",
					"ratelimit.policies.strict.ban.after=2", "ratelimit.policies.strict.ban.for=10h",
					"ratelimit.rules[0].path=/ruled", "ratelimit.rules[0].policy=roomy",
					"ratelimit.rules[1].path=/ruled", "ratelimit.rules[1].policy=strict")
			.run();
	}

	@AfterAll
	static void stop() {
		one.close();
		other.close();
		redis.close();
	}

	@Test
	void aBannedKeyIsKeptOutOfBothAndCostsTheServerNothing() throws Exception {
		assertThat(get(one, "ada").statusCode()).isEqualTo(200);
		assertThat(get(other, "ada").body()).contains("#quota-exceeded");
		HttpResponse<String> banned = get(one, "ada");
		assertThat(banned.body()).contains("#abnormal-usage-detected", "\"violated-policies\":[\"strict\"]");
		assertThat(banned.headers().firstValue("Retry-After")).hasValue("36000");
		assertThat(get(other, "ada").body()).contains("#abnormal-usage-detected");
		DecidingCalls calls = DecidingCalls.of(redis);
		for (int i = 0; i < 20; i++) {
			assertThat(get((i % 2 == 0) ? one : other, "ada").statusCode()).isEqualTo(429);
		}
		assertThat(calls.count()).isZero();
		assertThat(limiter(one, "strict").count(RateLimitOutcome.BANNED)).isEqualTo(11);
		assertThat(limiter(one, "roomy").peek("ada").remaining()).isEqualTo(99);
		assertThat(limiter(other, "strict").peek("ada").banned()).isTrue();
		assertThat(get(one, "bob").statusCode()).isEqualTo(200);
	}

	@Test
	void aResetLiftsTheBan() throws Exception {
		for (int i = 0; i < 4; i++) {
			get(one, "cleo");
		}
		assertThat(limiter(one, "strict").peek("cleo").banned()).isTrue();
		limiter(one, "strict").reset("cleo");
		assertThat(limiter(one, "strict").peek("cleo").banned()).isFalse();
		assertThat(get(other, "cleo").statusCode()).isEqualTo(200);
		assertThat(redis.number("EXISTS", "ratelimit:{strict:cleo}:ban")).isZero();
	}

	private static RateLimiter limiter(ConfigurableApplicationContext instance, String policy) {
		return instance.getBean(RateLimiterRegistry.class).policy(policy);
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext instance, String name)
			throws IOException, InterruptedException {
		String port = instance.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ruled?name=" + name))
			.build();
		return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Application {

		@GetMapping("/ruled")
		String ruled() {
			return "";
		}

	}

}
