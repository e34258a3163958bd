package io.github.ratelimit.integration.gateway;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.Target;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits on the routes of a gateway: by a rule, by our filter and by Gateway's own.
 */
@Timeout(120)
class GatewayTests {

	private static final Target target = Target.start();

	private static ConfigurableApplicationContext gateway;

	private static Client client;

	@BeforeAll
	static void start() {
		gateway = Gateway.start(target, Gateway.class);
		client = new Client(Gateway.port(gateway));
	}

	@AfterAll
	static void stop() {
		gateway.close();
		target.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ruled", "filtered", "keyed", "resolved", "costly", "requested", "throwing" })
	void twoRequestsOfACallerAreRoutedAndTheThirdIsAnsweredInFull(String route) {
		int failures = Gateway.FAILURES.get();
		for (int i = 0; i < 2; i++) {
			HttpResponse<String> routed = get(route, route);
			assertThat(routed.statusCode()).isEqualTo(200);
			assertThat(routed.body()).isEqualTo("/" + route + "/page?q=a%20b");
		}
		HttpResponse<String> rejected = get(route, route);
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().allValues("Content-Type")).containsExactly("application/problem+json");
		assertThat(rejected.body()).contains("#quota-exceeded", "\"violated-policies\":[\"" + route + "\"]");
		assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow()).isGreaterThan(3600);
		assertThat(rejected.headers().allValues("RateLimit")).singleElement()
			.asString()
			.startsWith("\"" + route + "\";r=0;t=");
		assertThat(rejected.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
		assertThat(target.requests(route)).isEqualTo(2);
		assertThat(get(route, "somebody else").statusCode()).isEqualTo(200);
		assertThat(Gateway.FAILURES.get()).isEqualTo(failures);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ruled-retried", "filtered-retried", "requested-retried" })
	void requestThatIsRetriedTakesOnePermit(String route) {
		HttpResponse<String> routed = client.get(route, route, 2);
		assertThat(routed.statusCode()).isEqualTo(200);
		assertThat(target.requests(route)).isEqualTo(3);
		assertThat(routed.headers().allValues("X-RateLimit-Remaining")).containsExactly("1");
		assertThat(get(route, route).statusCode()).isEqualTo(200);
		assertThat(get(route, route).statusCode()).isEqualTo(429);
	}

	@Test
	void fieldsOfTheTargetArriveBesideOurs() {
		HttpResponse<String> routed = get("filtered", "beside");
		assertThat(routed.headers().allValues("RateLimit")).hasSize(2)
			.anyMatch((value) -> value.startsWith("\"filtered\";r=1;t="))
			.contains("\"target\";r=98;t=7");
		assertThat(routed.headers().allValues("RateLimit-Policy")).containsExactlyInAnyOrder("\"filtered\";q=2;w=86400",
				"\"target\";q=99;w=10");
	}

	@Test
	void routeHasSeveralLimitsAndARejectionTakesNothingFromAnyOfThem() {
		assertThat(get("two", "several").statusCode()).isEqualTo(200);
		HttpResponse<String> rejected = get("two", "several");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.body()).contains("\"violated-policies\":[\"narrow\"]");
		HttpResponse<String> routed = get("wide", "several");
		assertThat(routed.headers().allValues("RateLimit"))
			.anySatisfy((value) -> assertThat(value).startsWith("\"wide-5m\";r=1;t=").contains("\"wide-1d\";r=98;t="));
	}

	@ParameterizedTest
	@ValueSource(strings = { "login", "login-filtered", "login-retried" })
	void formThatAKeyReadsArrivesAndSoDoesTheNextRequestOfSomebodyElse(String route) {
		for (String user : List.of("ada", "bob", "eve")) {
			String form = "password=se%20cret&username=" + user;
			for (int i = 0; i < 2; i++) {
				HttpResponse<String> routed = client.post("/" + route + "/form", form);
				assertThat(routed.statusCode()).isEqualTo(200);
				assertThat(routed.body()).isEqualTo(form);
				assertThat(client.get("/filtered/page", Target.CALLER, route + user + i).body())
					.isEqualTo("/filtered/page");
			}
			assertThat(client.post("/" + route + "/form", form).statusCode()).isEqualTo(429);
		}
		assertThat(client.post("/" + route + "/form", "username=new", Target.CALLER, route, Target.FAILURES, "1")
			.statusCode()).isEqualTo(route.equals("login-retried") ? 200 : 503);
		assertThat(client.post("/" + route + "/form", "username=new").body()).isEqualTo("username=new");
		assertThat(target.connections()).as("connections are pooled").isLessThan(20);
	}

	@ParameterizedTest
	@CsvSource({ "/pattern/1 /pattern/2 /pattern/3, 200 200 429",
			"/variable/1 /variable/1 /variable/1 /variable/2, 200 200 429 200",
			"/resolved/1 /resolved/2 /resolved/3, 200 200 429" })
	void keyIsOfTheRouteOrElseOfTheClient(String paths, String statuses) {
		assertThat(Stream.of(paths.split(" ")).map((path) -> String.valueOf(client.get(path).statusCode())))
			.containsExactly(statuses.split(" "));
	}

	@Test
	void requestsWaitWithoutAThread() {
		long start = System.nanoTime();
		List<Integer> statuses = IntStream.range(0, 4)
			.parallel()
			.mapToObj((i) -> get("waiting", "waiting").statusCode())
			.toList();
		assertThat(statuses).containsOnly(200);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(550));
	}

	private static HttpResponse<String> get(String route, String caller) {
		return client.get(route, caller, 0);
	}

}
