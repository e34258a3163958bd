package io.github.ratelimit.integration.suite;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import io.github.ratelimit.web.rules.RateLimitRule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.util.pattern.PathPatternParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests show of keys, proxies and other filters, each caused by requests that
 * give its code and no other.
 */
@Tag("stack")
@ExtendWith(OutputCaptureExtension.class)
class RequestFindingsTests {

	/* Who asks. Platforms that ask for the application's health send nothing of it. */
	private static final Map<String, List<String>> HEADERS = Map.of("probe", List.of(), "browser",
			List.of("Accept-Language", "en"), "customer", List.of("X-Api-Key", "acme"), "forwarded",
			List.of("X-Forwarded-For", "203.0.113.7"), "applied",
			List.of("X-Forwarded-For", "203.0.113.7", "Forwarded", "for=203.0.113.7"), "early",
			List.of("X-Answer", "early"));

	@AutoClose
	private TestServer server;

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-",
			textBlock = """
					policies.orders.key=header('X-Api-Key')  | 99 browser, 1 customer, 100 browser     | -             | -
					policies.orders.key=header('X-Api-Key')  | 99 browser                              | 101 browser   | RL018 orders
					policies.orders.key=header('X-Api-Key')  | 200 probe                               | 100 browser   | RL018 orders
					-                                        | 20 probe, 99 forwarded                  | 5 forwarded   | RL014 null
					client-address.trusted-proxies=10.0.0.1  | 99 forwarded                            | 5 forwarded   | RL015 null
					client-address.trusted-proxies=10.0.0.1  | 200 probe, 50 forwarded, 49 browser     | 1 browser     | RL015 null
					client-address.trusted-proxies=127.0.0.1 | 200 probe, 99 browser                   | 1 browser     | RL016 null
					client-address.trusted-proxies=127.0.0.1 | 200 forwarded                           | -             | -
					-                                        | 9 early                                 | 2 early       | RL017 orders
					client-address.trusted-proxies=127.0.0.1 & ratelimit.client-address.header=X-Real-IP | 99 forwarded | 1 forwarded | RL016 null
					enabled=true & server.forward-headers-strategy=native | 200 applied                 | -             | -
					enabled=true & server.forward-headers-strategy=framework | 200 applied              | -             | -
					rules[0].phase=after-security            | 1000 early                              | -             | -
					""")
	void whatRequestsShowIsFoundOnce(@Nullable String property, String quiet, @Nullable String telling,
			@Nullable String found, CapturedOutput output) {
		start((property != null) ? ("ratelimit." + property).split(" & ") : new String[0]);
		get(quiet);
		assertThat(codes()).isEmpty();
		if (found != null) {
			get(telling);
			awaitCode(found);
			assertThat(output).containsOnlyOnce("(" + found.substring(0, 5) + ")");
		}
	}

	@Test
	void keyThatIsAlwaysEmptyIsFoundByRequestsThatChangeSomething() {
		start("ratelimit.policies.orders.key=header('X-Api-Key')");
		for (int i = 0; i < 100; i++) {
			this.server.send("DELETE", "/ruled", "");
		}
		awaitCode("RL018 orders");
	}

	@Test
	void ruleThatHasMatchedNoneOfTheFirstThousandRequestsIsFound() {
		start("/ordres/{id} -> orders; methods=POST,GET");
		get("999 probe");
		assertThat(codes()).isEmpty();
		get("100 probe");
		awaitCode("RL001 orders");
		assertThat(this.server.bean(RateLimitFindings.class).list()).singleElement()
			.asString()
			.contains("The rule POST, GET /ordres/{id} of the policy 'orders' has matched none");
	}

	@ParameterizedTest
	@ValueSource(strings = { "deny", "exempt" })
	void requestsThatMeetNoRuleShowNothingOfRules(String kind) {
		start("/ordres/{id} -> orders", "ratelimit.client-address.trusted-proxies=127.0.0.1",
				"ratelimit." + kind + ".addresses=203.0.113.7");
		get("1000 forwarded");
		get("999 probe");
		assertThat(codes()).isEmpty();
		get("100 probe");
		awaitCode("RL001 orders");
	}

	@Test
	@SuppressWarnings("unchecked")
	void rulesThatReplaceOthersHaveAThousandRequestsOfTheirOwn() {
		start();
		get("1000 probe");
		PolicyBinding binding = this.server.bean(PolicyBinder.class)
			.bind(this.server.limiter().policy("orders"), new AppliedLocation("", null, null, null, null), null, "");
		Consumer<List<RateLimitRule>> enforcement = this.server.bean(Consumer.class);
		enforcement.accept(List.of(new RateLimitRule(PathPatternParser.defaultInstance.parse("/ruled"), List.of(),
				List.of(), binding, false)));
		this.server.getTimes(900, "/free");
		assertThat(codes()).isEmpty();
		this.server.getTimes(100, "/free");
		awaitCode("RL001 orders");
	}

	@Test
	void filterThatAnswersWhatNoRuleMatchesGivesNone() {
		start();
		for (int i = 0; i < 20; i++) {
			this.server.get("/elsewhere", "X-Answer", "early");
		}
		for (int i = 0; i < 20; i++) {
			this.server.send("OPTIONS", "/ruled", "", "X-Answer", "early");
		}
		assertThat(codes()).isEmpty();
	}

	private void start(String... properties) {
		String[] rule = { "orders: 100000 per 1m", "/ruled -> orders",
				"logging.level.io.github.ratelimit.findings=info" };
		this.server = TestServer.start(List.of(Handlers.class, Stack.part("Early")), TestServer.with(rule, properties));
	}

	private void get(String requests) {
		for (String some : requests.split(", ")) {
			String[] times = some.split(" ");
			this.server.getTimes(Integer.parseInt(times[0]), "/ruled", HEADERS.get(times[1]).toArray(String[]::new));
		}
	}

	/* A client may have its answer before the server has done with the request. */
	private void awaitCode(String code) {
		TestServer.await(() -> !codes().isEmpty());
		assertThat(codes()).containsExactly(code);
	}

	private List<String> codes() {
		return this.server.bean(RateLimitFindings.class)
			.list()
			.stream()
			.map((finding) -> finding.code().id() + " " + finding.policy())
			.toList();
	}

}
