package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.expression.KeyResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Easy mistakes in keys, costs, conditions and charges, of policies and annotations.
 */
class MistakesInExpressionsTests {

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			clientAdress     ; reads 'clientAdress', which is not known           ; Did you mean 'clientAddress'?
			global           ; reads 'global', which is not known                 ; A literal text needs single quotes.
			header(X)        ; reads 'X', which is not known                      ; A literal text needs single quotes.
			heder('X')       ; calls 'heder', which is not known                  ; Did you mean 'header'?
			header('X'       ; cannot be parsed                                   ; Write a SpEL expression
			X-Api-Key        ; reads 'X', which is not known                      ; header
			"#tenant"        ; reads '#tenant', but there are no parameters here  ; Use what the request has
			"@tenantKey"     ; names the bean 'tenantKey', which does not exist   ; Did you mean 'tenantKeys'?
			"@nothing.of(1)" ; names the bean 'nothing', which does not exist     ; Declare a bean of that name.
			""")
	void mistakeInAKeyOfAPolicyIsNamed(String key, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { key: '%s', limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: /login, policy: login }]
				""".formatted(key.replace("'", "''").replace("\"", "")), TenantKeys.class);
		assertThat(failed.description()).startsWith("The key expression '" + key.replace("\"", "")
				+ "' of the policy 'login', applied to rule /login " + reason);
		assertThat(failed.action()).contains(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			statsu == 401  ; reads 'statsu', which is not known               ; Did you mean 'status'?
			result > 1     ; reads 'result', but a rule applies to requests   ; Use status or exception
			-1             ; has the wrong type or range                      ; such as status >= 400
			clientAddress  ; is neither true, false nor a number              ; such as status >= 400
			status >= 400 &; cannot be parsed                                 ; Write a SpEL expression
			""")
	void mistakeInAChargeOfAPolicyIsNamed(String charge, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { charge: "%s", limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: /login, policy: login }]
				""".formatted(charge), TenantKeys.class);
		assertThat(failed.description()).startsWith(
				"The charge expression '" + charge + "' of the policy 'login', applied to rule /login " + reason);
		assertThat(failed.action()).contains(action);
	}

	@Test
	void theOutcomeIsNoKeyOfAPolicy() {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { key: status, limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: /login, policy: login }]
				""", TenantKeys.class);
		assertThat(failed.description()).isEqualTo("The key expression 'status' of the policy 'login', applied to rule "
				+ "/login reads 'status', which is known only when the call is over.");
		assertThat(failed.action()).contains("Use it in a charge");
	}

	@Test
	void queuesAreNotChargedByOutcome() {
		FailedStart failed = FailedStart.ofServer(
				"""
						ratelimit.policies.login: { algorithm: leaky-bucket, limit: 5, window: 1m, burst: 3, charge: "status > 1" }
						""",
				TenantKeys.class);
		assertThat(failed.description()).contains("ratelimit.policies.login.charge",
				"cannot be used with a leaky bucket that makes requests wait");
	}

	@Test
	void aResultThatNoProxySeesIsAMistake() {
		FailedStart failed = FailedStart.ofServer("ratelimit.policies.login.limits: [{ limit: 5, window: 1m }]",
				FinalController.class);
		assertThat(failed.description()).startsWith("@RateLimited on FinalController.method(String) needs a proxy, "
				+ "because its charge reads the result, and a proxy cannot intercept ");
		assertThat(failed.action()).contains("Use a charge that reads status or exception");
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void mistakeInAnAnnotationIsNamedWithItsMethod(Class<?> bean, String description, String action) {
		FailedStart failed = FailedStart.ofServer("ratelimit.policies.login.limits: [{ limit: 5, window: 1m }]", bean);
		assertThat(failed.description()).contains(" " + bean.getSimpleName() + ".method(String) ")
			.startsWith(description);
		assertThat(failed.action()).contains(action);
	}

	static List<Arguments> mistakes() {
		return List.of(arguments(UnknownParameter.class, "The key expression '#tennant'", "Did you mean 'tenant'?"),
				arguments(UnknownBean.class, "The key expression '@tenants'", "Declare a bean of that name."),
				arguments(TextualCost.class, "The cost expression ''two''", "Write a whole number from 1"),
				arguments(BlankKey.class,
						"@RateLimited on BlankKey.method(String) is not possible: key = \" \" is blank.", "Remove it"),
				arguments(BlankKeyOfAPolicy.class, "The key expression ' '", "Remove it"),
				arguments(NoCost.class, "The cost expression '0'", "Write a whole number from 1"),
				arguments(BrokenCondition.class, "The condition expression '1 +'", "Write a SpEL expression"),
				arguments(NumericCondition.class, "The condition expression '1'",
						"Write an expression that is true or"));
	}

	@RestController
	static final class FinalController {

		@GetMapping("/final")
		@RateLimited(limit = 1, window = "1m", charge = "result")
		public long method(String tenant) {
			return 1;
		}

	}

	static class TenantKeys {

		@Bean
		KeyResolver tenantKeys() {
			return (context) -> "tenant";
		}

	}

	static class UnknownParameter {

		@RateLimited(limit = 5, window = "1m", key = "#tennant")
		public void method(String tenant) {
		}

	}

	static class UnknownBean {

		@RateLimited(limit = 5, window = "1m", key = "@tenants")
		public void method(String tenant) {
		}

	}

	static class TextualCost {

		@RateLimited(limit = 5, window = "1m", cost = "'two'")
		public void method(String tenant) {
		}

	}

	static class BlankKey {

		@RateLimited(limit = 5, window = "1m", key = " ")
		public void method(String tenant) {
		}

	}

	static class BlankKeyOfAPolicy {

		@RateLimited(policy = "login", key = " ")
		public void method(String tenant) {
		}

	}

	static class NoCost {

		@RateLimited(limit = 5, window = "1m", cost = "0")
		public void method(String tenant) {
		}

	}

	static class BrokenCondition {

		@RateLimited(limit = 5, window = "1m", condition = "1 +")
		public void method(String tenant) {
		}

	}

	static class NumericCondition {

		@RateLimited(limit = 5, window = "1m", condition = "1")
		public void method(String tenant) {
		}

	}

}
