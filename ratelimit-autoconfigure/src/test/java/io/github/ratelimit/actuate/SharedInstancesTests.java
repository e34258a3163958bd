package io.github.ratelimit.actuate;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.github.ratelimit.autoconfigure.OpenToAll;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.redis.TestRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that share a Redis tell what both have counted.
 */
class SharedInstancesTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	@AutoClose
	private final TestRedis redis = TestRedis.start();

	@AutoClose
	private final ConfigurableApplicationContext one = start();

	@AutoClose
	private final ConfigurableApplicationContext other = start("ratelimit.instance=shop-2");

	private ConfigurableApplicationContext start(String... properties) {
		return new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off", "HOSTNAME=host",
					"spring.data.redis.port=" + this.redis.port(), "ratelimit.store=redis",
					"ratelimit.redis.timeout=20s", "management.endpoints.web.exposure.include=ratelimits",
					"ratelimit.policies.api.limit=3", "ratelimit.policies.api.window=100h",
					"ratelimit.policies.api.key='global'", "ratelimit.rules[0].path=/limited",
					"ratelimit.rules[0].policy=api")
			.properties(properties)
			.run();
	}

	@Test
	void bothTellTheSame() throws Exception {
		String first = "host:" + port(this.one);
		for (int i = 0; i < 3; i++) {
			send(this.one, "/limited");
			send(this.other, "/limited");
		}
		follow();
		JsonNode told = send(this.one, "/actuator/ratelimits");
		assertThat(told.at("/instance/name").asString()).isEqualTo(first);
		assertThat(told.at("/instances/0/name").asString()).isEqualTo(first);
		assertThat(told.at("/instances/1/name").asString()).isEqualTo("shop-2");
		assertThat(told.at("/instancesAsOf").asString()).isNotEmpty();
		JsonNode policy = told.at("/policies/api");
		assertThat(policy.at("/requests/allowed").asLong() + policy.at("/requests/rejected").asLong()).isEqualTo(3);
		assertThat(policy.at("/allInstances/requests/allowed").asLong()).isEqualTo(3);
		assertThat(policy.at("/allInstances/requests/rejected").asLong()).isEqualTo(3);
		assertThat(send(this.other, "/actuator/ratelimits").at("/policies/api/allInstances/requests"))
			.isEqualTo(policy.at("/allInstances/requests"));

		HistorySteps.end(this.one);
		assertThat(send(this.one, "/actuator/ratelimits/api/history").at("/instance").asString()).isEqualTo(first);
		assertThat(send(this.one, "/actuator/ratelimits/api/rejected").at("/instance").asString()).isEqualTo(first);
		assertThat(send(this.one, "/actuator/ratelimits/history").at("/instance").asString()).isEqualTo(first);
		assertThat(send(this.other, "/actuator/ratelimits/history").at("/instance").asString()).isEqualTo("shop-2");
		assertThat(send(this.other, "/actuator/ratelimits/history").at("/step").asInt()).isEqualTo(60);
	}

	/* As they do each second. */
	private void follow() {
		this.one.getBean(StoreRateLimiterRegistry.class).followOverrides();
		this.other.getBean(StoreRateLimiterRegistry.class).followOverrides();
	}

	private static String port(ConfigurableApplicationContext application) {
		return application.getEnvironment().getRequiredProperty("local.server.port");
	}

	private static JsonNode send(ConfigurableApplicationContext application, String path) throws Exception {
		URI uri = URI.create("http://127.0.0.1:" + port(application) + path);
		HttpResponse<String> response = CLIENT.send(HttpRequest.newBuilder(uri).build(),
				HttpResponse.BodyHandlers.ofString());
		return JsonMapper.shared().readTree(response.body());
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(OpenToAll.class)
	static class Application {

	}

}
