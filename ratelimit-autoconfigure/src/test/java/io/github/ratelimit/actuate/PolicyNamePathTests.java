package io.github.ratelimit.actuate;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.OpenToAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every name that a policy can have can be asked for in the endpoint's path, through a
 * real Tomcat and Spring Security.
 */
class PolicyNamePathTests {

	private final HttpClient client = HttpClient.newHttpClient();

	@Test
	void everyNameThatAPolicyCanHaveIsReachable() throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "management.endpoints.web.exposure.include=*",
					"spring.main.banner-mode=off")
			.run()) {
			List<String> reachable = new ArrayList<>();
			for (String name : names()) {
				if (register(name, context.getBean(RateLimiterRegistry.class))) {
					assertThat(ask(name, context.getEnvironment().getRequiredProperty("local.server.port"))).as(name)
						.contains("\"standing\"");
					reachable.add(name);
				}
			}
			assertThat(reachable).hasSizeGreaterThan(350)
				.contains("save(String[], Map)", "it's limited?", "a..b", "a#b");
		}
	}

	private static List<String> names() {
		List<String> names = new ArrayList<>(List.of(".", "..", "...", "a..b", "..a", "a..", "x".repeat(128), "a.json",
				"save(String[], Map)", "it's limited?", "{a}", "**", "a%2fb", "a%00b"));
		for (char c = 0; c < 256; c++) {
			names.addAll(List.of("a" + c + "b", c + "b", "a" + c, "" + c));
		}
		return names;
	}

	private static boolean register(String name, RateLimiterRegistry limiter) {
		try {
			if (limiter.find(name) == null) {
				limiter.register(
						RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofDays(1))));
			}
			return true;
		}
		catch (InvalidRateLimitException ex) {
			return false;
		}
	}

	private String ask(String name, String port) throws Exception {
		String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/ratelimits/" + encoded + "?key=me"))
			.build();
		return this.client.send(request, HttpResponse.BodyHandlers.ofString()).body();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OpenToAll.class)
	static class Application {

	}

}
