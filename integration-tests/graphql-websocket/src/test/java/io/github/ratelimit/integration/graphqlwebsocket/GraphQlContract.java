package io.github.ratelimit.integration.graphqlwebsocket;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.DocumentContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for handlers of GraphQL requests, whichever thread they run on.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, classes = Application.class)
abstract class GraphQlContract {

	@LocalServerPort
	int port;

	@Test
	void rejectionIsAnErrorThatSaysWhichPolicyAndWhenToComeBack() throws Exception {
		Client client = client("192.0.2.1", "");
		assertAllowed(client.ask("{ greeting }"), "greeting");
		assertAllowed(client.ask("{ greeting }"), "greeting");
		DocumentContext answer = client.ask("{ greeting }");
		assertThat(answer.<String>read("$.errors[0].message")).startsWith("Rate limit 'greeting' exceeded");
		assertThat(answer.<List<String>>read("$.errors[0].path")).containsExactly("greeting");
		Map<String, Object> extensions = answer.read("$.errors[0].extensions");
		assertThat(extensions).containsEntry("classification", "RATE_LIMITED").containsEntry("policy", "greeting");
		assertThat((int) extensions.get("retryAfter")).isBetween(1, 60);
	}

	@ParameterizedTest
	@CsvSource({ "alias, { a: alias b: alias c: alias }", "reactive, { a: reactive b: reactive c: reactive }",
			"order, mutation { a: order b: order }", "price, { field { a: price b: price } }" })
	void fieldThatIsAskedForSeveralTimesInOneRequestCountsEachTime(String policy, String document) throws Exception {
		assertRejected(client("192.0.2.2", "").ask(document), policy);
	}

	@Test
	void eachFieldPaysThoughAnotherHasPaidOfTheSamePolicy() throws Exception {
		assertRejected(client("192.0.2.3", "").ask("{ one other }"), "fields");
	}

	@Test
	void fieldOfAPolicyThatInformsChooses() throws Exception {
		DocumentContext answer = client("192.0.2.40", "").ask("{ a: informed b: informed c: informed }");
		assertThat(answer.<Map<String, Object>>read("$")).doesNotContainKey("errors");
		assertThat(answer.<Map<String, String>>read("$.data").values()).containsExactlyInAnyOrder("best", "cheap",
				"cheap");
	}

	@Test
	void batchCountsOnce() throws Exception {
		Client client = client("192.0.2.6", "");
		for (int i = 0; i < 2; i++) {
			DocumentContext answer = client.ask("{ shelf { author } }");
			assertThat(answer.<Map<String, Object>>read("$")).doesNotContainKey("errors");
			assertThat(answer.<List<String>>read("$.data.shelf[*].author")).contains("author of Emma").hasSize(3);
		}
		DocumentContext answer = client.ask("{ shelf { author } }");
		assertThat(answer.<List<String>>read("$.errors[*].extensions.classification")).hasSize(3)
			.containsOnly("RATE_LIMITED");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{ a: alias b: alias c: alias }", "{ a: reactive b: reactive c: reactive }",
			"mutation { a: order b: order }", "{ field { a: price b: price } }", "{ a: later b: later }",
			"{ a: expensive b: expensive }" })
	void fieldsOfAnExemptAddressAreNotLimited(String document) throws Exception {
		assertThat(client("192.0.2.99", "").ask(document).<Map<String, Object>>read("$")).doesNotContainKey("errors");
	}

	@Test
	void clientsAreToldApartByTheirAddress() throws Exception {
		assertAllowed(client("192.0.2.7", "").ask("{ address }"), "address");
		assertAllowed(client("192.0.2.8", "").ask("{ address }"), "address");
		assertRejected(client("192.0.2.7", "").ask("{ address }"), "address");
	}

	@Test
	void clientsAreToldApartByTheirNameWhereverTheyAre() throws Exception {
		assertAllowed(client("192.0.2.9", "ada").ask("{ owner }"), "owner");
		assertAllowed(client("192.0.2.9", "bob").ask("{ owner }"), "owner");
		assertRejected(client("192.0.2.10", "ada").ask("{ owner }"), "owner");
	}

	@Test
	void clientIsKnownToServiceThatRunsOnAnotherThread() throws Exception {
		assertAllowed(client("192.0.2.11", "").ask("{ later }"), "later");
		assertAllowed(client("192.0.2.12", "").ask("{ later }"), "later");
		assertRejected(client("192.0.2.11", "").ask("{ later }"), "later");
	}

	@Test
	void rejectionOfServiceIsTold() throws Exception {
		assertAllowed(client("192.0.2.13", "").ask("{ expensive }"), "expensive");
		assertRejected(client("192.0.2.13", "").ask("{ expensive }"), "expensive");
	}

	@Test
	void applicationsOwnHandlerAnswersInItsWay() throws Exception {
		assertAllowed(client("192.0.2.14", "").ask("{ handled }"), "handled");
		DocumentContext answer = client("192.0.2.14", "").ask("{ handled }");
		assertThat(answer.<String>read("$.errors[0].message")).isEqualTo("Slow down");
	}

	@Test
	void limitsSubscriptionOverServerSentEvents() throws Exception {
		Client client = client("192.0.2.15", "");
		assertThat(client.send("subscription { ticks }", "text/event-stream").body()).contains("\"ticks\":2");
		HttpResponse<String> rejected = client.send("subscription { ticks }", "text/event-stream");
		assertThat(rejected.body()).contains("RATE_LIMITED").doesNotContain("INTERNAL_ERROR", "\"ticks\":1");
	}

	@Test
	void fieldIsChargedForItsFailureOnly() throws Exception {
		Client client = client("192.0.2.16", "");
		for (int i = 0; i < 3; i++) {
			assertAllowed(client.ask("{ guess(right: true) }"), "guess");
		}
		assertThat(client.ask("{ guess(right: false) }").<List<String>>read("$.errors[*].extensions.classification"))
			.containsExactly("INTERNAL_ERROR");
		assertRejected(client.ask("{ guess(right: true) }"), "guess");
	}

	@Test
	void reactiveFieldIsChargedByItsElement() throws Exception {
		Client client = client("192.0.2.17", "");
		for (int i = 0; i < 3; i++) {
			assertAllowed(client.ask("{ guessLater(right: true) }"), "guessLater");
		}
		assertAllowed(client.ask("{ guessLater(right: false) }"), "guessLater");
		assertRejected(client.ask("{ guessLater(right: true) }"), "guessLater");
	}

	Client client(String address, String user) {
		return new Client(this.port, address, user);
	}

	static void assertAllowed(DocumentContext answer, String field) {
		assertThat(answer.<Map<String, Object>>read("$")).doesNotContainKey("errors");
		assertThat(answer.<Map<String, Object>>read("$.data")).containsKey(field);
	}

	static void assertRejected(DocumentContext answer, String policy) {
		assertThat(answer.<List<String>>read("$.errors[*].extensions.classification")).containsExactly("RATE_LIMITED");
		assertThat(answer.<List<String>>read("$.errors[*].extensions.policy")).containsExactly(policy);
	}

}
