package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class UnreadablePropertiesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			five   | 1m       | false   | limit   | five     | is not a whole number, or too large
			5      | 1 minute | false   | window  | 1 minute | is not a duration
			5      | 1m       | perhaps | nodelay | perhaps  | is neither true nor false
			""")
	void textThatIsNotANumberIsNamed(String limit, String window, String nodelay, String property, String value,
			String reason) {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { algorithm: leaky-bucket, limit: %s, window: %s, nodelay: %s }
				""".formatted(limit, window, nodelay));
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.login.limits[0]." + property
				+ "' with the value '" + value + "' " + reason + ". It was set in application.yml - 5:");
		assertThat(failed.action()).startsWith("Write ");
	}

	@Test
	void durationsAreExplainedByExample() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { limit: 5, window: 1 minute }
				""");
		assertThat(failed.action()).isEqualTo("Write a number with a unit, such as 500ms, 10s, 1m, 1h or 1d, or an "
				+ "ISO-8601 duration such as PT1H.");
	}

	@Test
	void nearestAlgorithmIsSuggested() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { algorithm: token-buckt, limit: 5, window: 1m }
				""");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.policies.login.limits[0].algorithm' with the value 'token-buckt' is "
					+ "not a known value. It was set in application.yml - 5:24.");
		assertThat(failed.action())
			.isEqualTo("Did you mean 'token-bucket'? Known: 'fixed-window-counter', 'leaky-bucket', "
					+ "'sliding-window-counter', 'sliding-window-log', 'token-bucket'.");
	}

	@Test
	void nearestHeaderFamilyIsSuggestedEvenInACommaSeparatedList() {
		FailedStart failed = FailedStart.of("ratelimit.headers: 'rate-limits,x-rate-limit'");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.headers' with the value 'rate-limits' is not a known "
					+ "value. It was set in application.yml - 1:20.");
		assertThat(failed.action()).isEqualTo("Did you mean 'rate-limit'? Known: 'rate-limit', 'x-rate-limit'.");
	}

	@Test
	void valueInPlaceOfAPolicyIsExplained() {
		FailedStart failed = FailedStart.of("ratelimit.policies.login: 5");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.policies.login' has a value, but consists of nested properties.");
		assertThat(failed.action()).isEqualTo(
				"Write the nested properties below it, each with a name and a value. Known: 'algorithm', 'ban', 'burst', "
						+ "'charge', 'count-rejected', 'delay', 'from', 'key', 'limit', 'limits', 'mode', 'nodelay', 'on-failure', "
						+ "'plan', 'plans', 'shadow-limits', 'window', 'zone'.");
	}

	@Test
	void doubtfulSwitchNeitherTurnsLimitsOffNorOn() {
		FailedStart failed = FailedStart.of("ratelimit.enabled: maybe");
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.enabled' with the value 'maybe' is "
				+ "neither true nor false. It was set in application.yml - 1:20.");
	}

}
