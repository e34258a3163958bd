package io.github.ratelimit.web.servlet;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.RateLimitRule;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests show of keys, proxies and other filters, each caused by requests that
 * give its code and no other.
 */
@ExtendWith(OutputCaptureExtension.class)
class RequestFindingsTests {

	private static final String API_KEY = "ratelimit.policies.orders.key=header('X-Api-Key')";

	private static final String[] FORWARDED = { "X-Forwarded-For", "203.0.113.7" };

	/* What browsers send, and platforms that ask for the application's health do not. */
	private static final String[] BROWSER = { "Accept-Language", "en" };

	@AutoClose
	private TestServer server;

	@Test
	void requestsThatShowNothingGiveNone() {
		start(API_KEY);
		get(99, BROWSER);
		get(1, "X-Api-Key", "acme");
		get(100, BROWSER);
		assertThat(codes()).isEmpty();
	}

	@Test
	void keyThatIsAlwaysEmptyIsFoundOnce(CapturedOutput output) {
		start(API_KEY);
		get(99, BROWSER);
		assertThat(codes()).isEmpty();
		get(101, BROWSER);
		assertThat(codes()).containsExactly("RL018 orders");
		assertThat(output).containsOnlyOnce("was empty for each of its first hundred requests");
	}

	@Test
	void probesWithoutAKeyShowNothing() {
		start(API_KEY);
		get(200);
		assertThat(codes()).isEmpty();
		get(100, BROWSER);
		assertThat(codes()).containsExactly("RL018 orders");
	}

	@Test
	void keyThatIsAlwaysEmptyIsFoundByRequestsThatChangeSomething() {
		start(API_KEY);
		for (int i = 0; i < 100; i++) {
			this.server.send("DELETE", "/orders", "");
		}
		assertThat(codes()).containsExactly("RL018 orders");
	}

	@Test
	void proxyThatIsNotTrustedIsFound(CapturedOutput output) {
		start();
		get(20);
		get(99, FORWARDED);
		assertThat(codes()).isEmpty();
		get(5, FORWARDED);
		assertThat(codes()).containsExactly("RL014 null");
		assertThat(output).containsOnlyOnce("(RL014)");
	}

	@Test
	void addressThatTheServerHasTakenFromTheFieldGivesNone() {
		start("server.forward-headers-strategy=native");
		get(200, "X-Forwarded-For", "203.0.113.7", "Forwarded", "for=203.0.113.7");
		assertThat(codes()).isEmpty();
	}

	@Test
	void trustedProxyThatNeverComesIsFound() {
		start("ratelimit.client-address.trusted-proxies=10.0.0.0/8");
		get(99, FORWARDED);
		assertThat(codes()).isEmpty();
		get(5, FORWARDED);
		assertThat(codes()).containsExactly("RL015 null");
	}

	@Test
	void probesThatPassTheTrustedProxyShowNothing() {
		start("ratelimit.client-address.trusted-proxies=10.0.0.0/8");
		get(200);
		get(50, FORWARDED);
		get(49, BROWSER);
		assertThat(codes()).isEmpty();
		get(1, BROWSER);
		assertThat(codes()).containsExactly("RL015 null");
	}

	@Test
	void probesOfATrustedAddressShowNothing() {
		start("ratelimit.client-address.trusted-proxies=127.0.0.1");
		get(200);
		get(99, BROWSER);
		assertThat(codes()).isEmpty();
		get(1, BROWSER);
		assertThat(codes()).containsExactly("RL016 null");
	}

	@Test
	void trustedProxyThatSendsNoAddressIsFound() {
		start("ratelimit.client-address.trusted-proxies=127.0.0.1", "ratelimit.client-address.header=X-Real-IP");
		get(100, FORWARDED);
		assertThat(codes()).containsExactly("RL016 null");
	}

	@Test
	void trustedProxyThatSendsTheAddressGivesNone() {
		start("ratelimit.client-address.trusted-proxies=127.0.0.1");
		get(200, FORWARDED);
		assertThat(codes()).isEmpty();
	}

	@Test
	void filterThatAnswersFirstIsFound() {
		start();
		get(9, "X-Answer", "early");
		assertThat(codes()).isEmpty();
		get(2, "X-Answer", "early");
		assertThat(codes()).containsExactly("RL017 orders");
	}

	@Test
	void ruleThatHasMatchedNoneOfTheFirstThousandRequestsIsFound() {
		start("ratelimit.rules[1].path=/ordres/{id}", "ratelimit.rules[1].methods=POST,GET",
				"ratelimit.rules[1].policy=orders");
		get(999);
		assertThat(codes()).isEmpty();
		get(100);
		assertThat(codes()).containsExactly("RL001 orders");
		assertThat(this.server.bean(RateLimitFindings.class).list()).singleElement()
			.asString()
			.contains("The rule POST, GET /ordres/{id} of the policy 'orders' has matched none");
	}

	@Test
	void rulesThatReplaceOthersHaveAThousandRequestsOfTheirOwn() {
		start();
		get(990);
		ServletRateLimits limits = this.server.bean(ServletRateLimits.class);
		RateLimitRule orders = limits.rules.all().get(0);
		limits.enforce(List.of(new RateLimitRule(orders.pattern(), List.of(), orders.binding())), List.of());
		for (int i = 0; i < 20; i++) {
			this.server.get("/elsewhere");
		}
		assertThat(codes()).isEmpty();
	}

	@Test
	void ruleThatReadsTheUserHasMatchedARequestThatDidNotGetThroughToIt() {
		start("ratelimit.rules[0].phase=after-security");
		get(1000, "X-Answer", "early");
		assertThat(codes()).isEmpty();
	}

	@Test
	void filterThatAnswersWhatNoRuleMatchesGivesNone() {
		start();
		for (int i = 0; i < 20; i++) {
			this.server.get("/elsewhere", "X-Answer", "early");
		}
		for (int i = 0; i < 20; i++) {
			this.server.send("OPTIONS", "/orders", "", "X-Answer", "early");
		}
		assertThat(codes()).isEmpty();
	}

	private void start(String... properties) {
		List<String> all = new ArrayList<>(List.of("ratelimit.policies.orders.limits[0].limit=100000",
				"ratelimit.policies.orders.limits[0].window=1m", "ratelimit.rules[0].path=/orders",
				"ratelimit.rules[0].policy=orders"));
		all.addAll(List.of(properties));
		this.server = TestServer.start(Orders.class, all.toArray(String[]::new));
	}

	private void get(int times, String... headers) {
		this.server.getTimes(times, "/orders", headers);
	}

	private List<String> codes() {
		return this.server.bean(RateLimitFindings.class)
			.list()
			.stream()
			.map((finding) -> finding.code().id() + " " + finding.policy())
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(OrderController.class)
	static class Orders {

		@Bean
		FilterRegistrationBean<Filter> early() {
			FilterRegistrationBean<Filter> early = new FilterRegistrationBean<>((request, response, chain) -> {
				if (((HttpServletRequest) request).getHeader("X-Answer") != null) {
					((HttpServletResponse) response).setStatus(403);
				}
				else {
					chain.doFilter(request, response);
				}
			});
			early.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return early;
		}

	}

	@RestController
	static class OrderController {

		@GetMapping("/orders")
		String orders() {
			return "none";
		}

	}

}
