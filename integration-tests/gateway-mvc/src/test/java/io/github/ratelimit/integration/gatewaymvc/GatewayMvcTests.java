package io.github.ratelimit.integration.gatewaymvc;

import java.net.http.HttpResponse;
import java.util.List;

import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.Target;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules on the routes of a gateway that runs on Spring MVC.
 */
@Timeout(120)
class GatewayMvcTests {

	private static final Target target = Target.start();

	private static ConfigurableApplicationContext gateway;

	private static Client client;

	@BeforeAll
	static void start() {
		gateway = new SpringApplicationBuilder(Gateway.class).properties("target=" + target.uri()).run();
		client = new Client(gateway.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
	}

	@AfterAll
	static void stop() {
		gateway.close();
		target.close();
	}

	@Test
	void twoRequestsOfACallerAreRoutedAndTheThirdIsAnsweredInFull() {
		for (int i = 0; i < 2; i++) {
			HttpResponse<String> routed = get("ruled", "ada");
			assertThat(routed.statusCode()).isEqualTo(200);
			assertThat(routed.body()).isEqualTo("/ruled/page?q=a%20b");
			assertThat(routed.headers().allValues("RateLimit")).hasSize(2)
				.anyMatch((value) -> value.startsWith("\"ruled\";r="))
				.contains("\"target\";r=98;t=7");
			assertThat(routed.headers().allValues("RateLimit-Policy"))
				.containsExactlyInAnyOrder("\"ruled\";q=2;w=86400", "\"target\";q=99;w=10");
		}
		HttpResponse<String> rejected = get("ruled", "ada");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().allValues("Content-Type")).containsExactly("application/problem+json");
		assertThat(rejected.body()).contains("#quota-exceeded", "\"violated-policies\":[\"ruled\"]");
		assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow()).isGreaterThan(3600);
		assertThat(target.requests("ada")).isEqualTo(2);
		assertThat(get("ruled", "somebody else").statusCode()).isEqualTo(200);
	}

	@Test
	void requestThatIsRetriedTakesOnePermit() {
		HttpResponse<String> routed = client.get("retried", "retried", 2);
		assertThat(routed.statusCode()).isEqualTo(200);
		assertThat(target.requests("retried")).isEqualTo(3);
		assertThat(routed.headers().allValues("X-RateLimit-Remaining")).containsExactly("1", "98");
		assertThat(get("retried", "retried").statusCode()).isEqualTo(200);
		assertThat(get("retried", "retried").statusCode()).isEqualTo(429);
	}

	@Test
	void routeHasSeveralLimitsAndARejectionTakesNothingFromAnyOfThem() {
		assertThat(get("two", "several").statusCode()).isEqualTo(200);
		HttpResponse<String> rejected = get("two", "several");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.body()).contains("\"violated-policies\":[\"narrow\"]");
		assertThat(get("wide", "several").headers().allValues("RateLimit"))
			.anySatisfy((value) -> assertThat(value).startsWith("\"wide-5m\";r=1;t=").contains("\"wide-1d\";r=98;t="));
	}

	@Test
	void formThatAKeyReadsArrivesAndSoDoesTheNextRequestOfSomebodyElse() {
		for (String user : List.of("ada", "bob", "eve")) {
			String form = "password=se+cret&username=" + user;
			for (int i = 0; i < 2; i++) {
				HttpResponse<String> routed = client.post("/login/form", form);
				assertThat(routed.statusCode()).isEqualTo(200);
				assertThat(routed.body().split("&")).containsExactlyInAnyOrder(form.split("&"));
				assertThat(routed.headers().allValues("X-RateLimit-Remaining")).containsExactly(String.valueOf(1 - i),
						"98");
				assertThat(get("ruled", user + i).body()).startsWith("/ruled/page");
			}
			assertThat(client.post("/login/form", form).statusCode()).isEqualTo(429);
		}
		assertThat(target.connections()).as("connections are pooled").isLessThan(15);
	}

	private static HttpResponse<String> get(String route, String caller) {
		return client.get(route, caller, 0);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Gateway {

	}

}
