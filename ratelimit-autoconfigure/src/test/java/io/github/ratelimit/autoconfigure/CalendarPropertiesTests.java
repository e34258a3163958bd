package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Windows of a calendar in properties. What is wrong with them is in
 * {@link MistakesOfUsersTests}.
 */
class CalendarPropertiesTests {

	@ParameterizedTest
	@CsvSource({ "P1D, Asia/Kathmandu,", "P1W, UTC, 7", "P1M, Europe/Berlin, 15", "P1M, +02:00, 08",
			"P1Y, Europe/London, 04-06", "p1y, UTC, 02-29" })
	void windowsAreReadInAListAndOutsideOfOne(String window, String zone, String from) {
		String limit = "algorithm: fixed-window-counter, limit: 10, window: " + window + ", zone: '" + zone + "'"
				+ ((from != null) ? ", from: " + from : "");
		RateLimit expected = CalendarModel.limit(10, window, zone, from);
		assertThat(limits("policies: { quota: { " + limit + " } }")).containsExactly(expected);
		assertThat(limits("policies: { quota: { limits: [ { limit: 1, window: 1m }, { " + limit + " } ] } }"))
			.hasSize(2)
			.contains(expected);
	}

	@Test
	void oneOfItsNumbersCanBeOverridden() {
		assertThat(limits("""
				policies:
				  quota: { algorithm: fixed-window-counter, limit: 10, window: P1M, zone: Europe/Berlin, from: 15 }
				policies.quota.from: 20
				""")).containsExactly(CalendarModel.limit(10, "P1M", "Europe/Berlin", "20"));
	}

	@Test
	void whatIsEmptyIsNotThere() {
		assertThat(
				limits("policies: { quota: { algorithm: fixed-window-counter, limit: 5, window: 1d, zone:, from: } }"))
			.containsExactly(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofDays(1)));
	}

	@Test
	void shadowLimitsMayHaveACalendar() {
		FailedStart failed = FailedStart.of("""
				ratelimit.policies.quota:
				  limits: [ { limit: 1, window: 1m } ]
				  shadow-limits: [ { algorithm: fixed-window-counter, limit: 1, window: P1M, zone: Europe/Berln } ]
				""");
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.quota.shadow-limits[0].zone' with "
					+ "the value 'Europe/Berln' is not a known time zone. It was set in application.yml");
		assertThat(failed.action())
			.isEqualTo("Did you mean 'Europe/Berlin'? Write the id of a time zone, such as Europe/Berlin, or UTC.");
	}

	private static List<RateLimit> limits(String yaml) {
		List<RateLimit> limits = new ArrayList<>();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class))
			.withInitializer((context) -> {
				FailedStart.setVariables(context.getEnvironment(), Map.of());
				FailedStart.addProperties(context.getEnvironment(), "ratelimit:\n  " + yaml.replace("\n", "\n  "));
			})
			.run((context) -> {
				RateLimiter quota = context.getBean(RateLimiterRegistry.class).policy("quota");
				limits.addAll(quota.policy().limits());
			});
		return limits;
	}

}
