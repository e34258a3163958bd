package io.github.ratelimit.redis;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How often a request over HTTP asks the server: once for all rules, and once for the
 * handler method's annotation.
 */
class HttpRoundTripsTests {

	private static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
			+ "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration";

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static TestRedis redis;

	private static ConfigurableApplicationContext application;

	private DecidingCalls calls;

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		application = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off", WITHOUT_SECURITY,
					"spring.data.redis.port=" + redis.port(), "ratelimit.store=redis", "ratelimit.redis.timeout=20s",
					"ratelimit.redis.rejection-memory=1m", "ratelimit.policies.wide.limits[0].limit=10",
					"ratelimit.policies.wide.limits[0].window=100h", "ratelimit.policies.wider.limits[0].limit=20",
					"ratelimit.policies.wider.limits[0].window=100h", "ratelimit.policies.narrow.limits[0].limit=2",
					"ratelimit.policies.narrow.limits[0].window=100h", "ratelimit.rules[0].path=/ruled",
					"ratelimit.rules[0].policy=wide", "ratelimit.rules[1].path=/ruled",
					"ratelimit.rules[1].policy=wider", "ratelimit.policies.rule.limits[0].limit=10",
					"ratelimit.policies.rule.limits[0].window=100h", "ratelimit.rules[2].path=/both",
					"ratelimit.rules[2].policy=rule")
			.run();
	}

	@AfterAll
	static void stop() {
		application.close();
		redis.close();
	}

	@BeforeEach
	void begin() {
		redis.call("FLUSHALL");
		this.calls = DecidingCalls.of(redis);
	}

	@Test
	void twoRulesAreOneCall() throws Exception {
		for (int i = 1; i <= 10; i++) {
			assertThat(get("/ruled").statusCode()).isEqualTo(200);
		}
		assertThat(this.calls.count()).isEqualTo(10);
		assertThat(get("/ruled").statusCode()).isEqualTo(429);
		assertThat(this.calls.count()).isEqualTo(11);
		assertThat(get("/ruled").statusCode()).isEqualTo(429);
		assertThat(this.calls.count()).as("is remembered").isEqualTo(11);
	}

	@Test
	void aRuleAndAnAnnotationAreTwoCalls() throws Exception {
		assertThat(get("/both").statusCode()).isEqualTo(200);
		assertThat(this.calls.count()).isEqualTo(2);
		HttpResponse<String> second = get("/both");
		assertThat(second.statusCode()).isEqualTo(200);
		assertThat(second.headers().firstValue("RateLimit")).get()
			.asString()
			.contains("\"rule\";r=8", "\"narrow\";r=0");
		assertThat(this.calls.count()).isEqualTo(4);
		HttpResponse<String> third = get("/both");
		assertThat(third.statusCode()).isEqualTo(429);
		assertThat(third.headers().firstValue("RateLimit")).get().asString().contains("\"rule\";r=8", "\"narrow\";r=0");
		assertThat(this.calls.count()).as("the two, the return, and how the rule stands then").isEqualTo(8);
	}

	private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
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

		@RateLimited(policy = "narrow")
		@GetMapping("/both")
		String both() {
			return "";
		}

	}

}
