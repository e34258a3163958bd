package io.github.ratelimit.integration.gatewaymvc;

import java.util.List;

import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.RoutedRequests;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules on the routes of a gateway that runs on Spring MVC.
 */
class GatewayMvcTests extends RoutedRequests {

	private static ConfigurableApplicationContext gateway;

	@BeforeAll
	static void start() {
		gateway = new SpringApplicationBuilder(Gateway.class).properties("target=" + target.uri()).run();
		client = new Client(gateway.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
	}

	@AfterAll
	static void stop() {
		gateway.close();
	}

	static List<String> limited() {
		return List.of("ruled");
	}

	static List<String> retried() {
		return List.of("ruled-retried");
	}

	static List<String> login() {
		return List.of("login");
	}

	@Override
	protected List<String> guessing() {
		return List.of("guesses");
	}

	@Test
	void fieldsThatAreNoListsArriveBesideThoseOfTheTarget() {
		assertThat(get("ruled", "of fields").headers().allValues("X-RateLimit-Remaining")).containsExactly("1", "98");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Gateway {

	}

}
