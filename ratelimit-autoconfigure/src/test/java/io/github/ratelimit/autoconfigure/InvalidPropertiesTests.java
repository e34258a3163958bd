package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class InvalidPropertiesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					limit: 0, window: 1m                                       | limit   | with the value '0' is out of range. It was set in application.yml - 6:20.
					limit: 5, window: 40d                                      | window  | with the value '40 d' is out of range. It was set in application.yml - 6:31.
					limit: 5                                                   | window  | is missing.
					window: 1m                                                 | limit   | is missing.
					limit: 5, window: 1m, delay: 1                             | delay   | with the value '1' is not used by the algorithm token-bucket. It was set in application.yml - 6:42.
					limit: 5, window: 1m, algorithm: leaky-bucket, delay: 9    | delay   | with the value '9' is out of range. It was set in application.yml - 6:67.
					limit: 131057, window: 1m, algorithm: sliding-window-log   | limit   | with the value '131057' would make a key of the sliding window log heavier than 1 MiB (8 bytes for each permit). It was set in application.yml - 6:20.
					""")
	void numberIsNamedByItsFullPath(String limit, String property, String reason) {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { limit: 7, window: 1m }
				        - { %s }
				""".formatted(limit));
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.policies.login.limits[1]." + property + "' " + reason);
		assertThat(failed.action()).isNotEmpty().endsWith(".");
	}

	@Test
	void shadowLimitsOfAPolicyInShadowAreRejectedWithBothWaysOut() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limit: 5
				      window: 1m
				      mode: shadow
				      shadow-limits:
				        - { limit: 3, window: 1m }
				""");
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.login.shadow-limits' ")
			.contains("cannot be used in the mode shadow, in which the policy's limits are only tried already");
		assertThat(failed.action()).contains("remove shadow-limits", "set mode to enforce");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			limit: 0, window: 1m                                     | limit  | is out of range
			limit: 5                                                 | window | is missing
			limit: 131057, window: 1m, algorithm: sliding-window-log | limit  | heavier than 1 MiB
			""")
	void numberOfAShadowLimitIsNamedByItsFullPath(String limit, String property, String reason) {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limit: 5
				      window: 1m
				      shadow-limits:
				        - { limit: 7, window: 1m }
				        - { %s }
				""".formatted(limit));
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.login.shadow-limits[1]." + property + "' ")
			.contains(reason);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			after: 0           | after      | with the value '0' is out of range.
			after: 1001        | after      | with the value '1001' is out of range.
			within: 0s         | within     | with the value '0 s' is out of range.
			within: 300        | within     | with the value '300' has no unit.
			for: 367d          | for        | with the value '367 d' is out of range.
			for: 5             | for        | with the value '5' has no unit.
			multiplier: 0.5    | multiplier | with the value '0.5' is out of range.
			multiplier: NaN    | multiplier | with the value 'NaN' is out of range.
			max: 1m            | max        | with the value '1 min' is shorter than the first ban.
			""")
	void numberOfABanIsNamedByItsFullPath(String number, String property, String reason) {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limit: 5
				      window: 1m
				      ban:
				        %s
				""".formatted(number));
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.login.ban." + property + "' "
				+ reason + " It was set in application.yml - 7:");
		assertThat(failed.action()).isNotEmpty().endsWith(".");
	}

	@Test
	void ofTwoEqualNumbersTheOneThatIsWrongIsNamed() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { limit: 131057, window: 1m }
				        - { limit: 131057, window: 1h, algorithm: sliding-window-log }
				""");
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.login.limits[1].limit' ")
			.endsWith("It was set in application.yml - 6:20.");
	}

	@Test
	void numberThatTheAlgorithmDoesNotUseIsRejectedWithBothWaysOut() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    "[SearchController.search]":
				      limits:
				        - { algorithm: fixed-window-counter, limit: 5, window: 1m, burst: 20 }
				""");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.policies[SearchController.search].limits[0].burst' with the value '20' "
					+ "is not used by the algorithm fixed-window-counter. It was set in application.yml - 5:75.");
		assertThat(failed.action()).isEqualTo("Remove burst, or use the algorithm token-bucket or leaky-bucket.");
	}

	@Test
	void policyWithoutLimitsIsRejected() {
		FailedStart failed = FailedStart.of("ratelimit.policies.login.key: clientAddress");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.policies.login.limits' has no entry, so that the policy would do "
					+ "nothing.");
		assertThat(failed.action()).isEqualTo("Give the policy 'login' at least one limit.");
	}

	@Test
	void nameThatNoHeaderCanCarryIsRejected() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    "[Grüße]":
				      limits:
				        - { limit: 5, window: 1m }
				""");
		assertThat(failed.description()).contains("cannot name a policy, because it is sent in headers");
		assertThat(failed.action())
			.isEqualTo("Use 1 to 128 printable ASCII characters, such as login, other than / \\ ; and %, "
					+ "and not . or .. alone.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					path: /api/**                                  | policy     | is missing.
					policy: login                                  | path       | is missing.
					path: api, policy: login                       | path       | with the value 'api' does not begin with a slash. It was set in application.yml - 7:15.
					path: /api/**, policy: lgin                    | policy     | with the value 'lgin' names no policy of ratelimit.policies. It was set in application.yml - 7:32.
					path: /api/**, policy: login, methods: [PSOT]  | methods[0] | with the value 'PSOT' is not an HTTP method. It was set in application.yml - 7:49.
					""")
	void ruleThatWouldDoNothingIsRejected(String rule, String property, String reason) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { limit: 7, window: 1m }
				  rules:
				    - { %s }
				""".formatted(rule));
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.rules[0]." + property + "' " + reason);
	}

	@Test
	void ruleIsToldTheNearestPolicy() {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies:
				    login: { limits: [{ limit: 7, window: 1m }] }
				    uploads: { limits: [{ limit: 7, window: 1m }] }
				  rules:
				    - { path: /login, policy: lgoin }
				""");
		assertThat(failed.action()).isEqualTo("Did you mean 'login'? Known: 'login', 'uploads'.");
	}

	@Test
	void storeWithoutRoomIsRejected() {
		FailedStart failed = FailedStart.of("ratelimit.caffeine.maximum-size: 0");
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.caffeine.maximum-size' with the value '0' "
				+ "is out of range. It was set in application.yml - 1:34.");
		assertThat(failed.action()).isEqualTo("Set it to the number of keys to keep for each policy, from 1.");
	}

	@Test
	void switchThatOnlyLooksLikeFalseIsRejected() {
		FailedStart failed = FailedStart.of("ratelimit.enabled: 'off'");
		assertThat(failed.description()).startsWith("The property 'ratelimit.enabled' is neither true nor false.");
		assertThat(failed.action()).isEqualTo("Write false to turn all rate limits off.");
	}

}
