package io.github.ratelimit.web;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the header fields name policies and their limits.
 */
class LimitNamesInHeadersTests extends AskedPolicies {

	@Test
	void aPolicyOfOneLimitIsNamedByItself() {
		take(policy("search", fixed(100, "1m")), 1);
		assertThat(fields()).containsExactlyInAnyOrderEntriesOf(
				Map.of("RateLimit-Policy", "\"search\";q=100;w=60", "RateLimit", "\"search\";r=99;t=60",
						"X-RateLimit-Limit", "100", "X-RateLimit-Remaining", "99", "X-RateLimit-Reset", "60"));
	}

	@Test
	void versionsOfOnePolicyAreRenderedOnceHoweverTheyTakeTurns() {
		RateLimitPolicy own = policy("search", fixed(100, "1m"));
		RateLimitPolicy plan = own.withLimits(List.of(fixed(6000, "1m")));
		PolicyText text = this.headers.text(own);
		PolicyText other = this.headers.text(plan);
		assertThat(other).isNotSameAs(text);
		assertThat(this.headers.text(own)).isSameAs(text);
		assertThat(this.headers.text(plan)).isSameAs(other);
	}

	@Test
	void versionsOfOnePolicyHaveOneAliasAndNoEndOfThemIsKept() {
		RateLimitHeaders named = new RateLimitHeaders(EnumSet.allOf(HeaderFamily.class), ResetFormat.SECONDS,
				PolicyNames.SHORT, this.clock);
		RateLimitPolicy own = policy("search", fixed(100, "1m"));
		PolicyText first = named.text(own);
		for (int i = 1; i <= 20_000; i++) {
			assertThat(named.text(own.withLimits(List.of(fixed(i, "1m")))).names).containsExactly("p1");
		}
		assertThat(named.text(own)).isNotSameAs(first);
		assertThat(named.text(policy("other", fixed(1, "1m"))).names).containsExactly("p2");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					login | 5/1m 100/1h                    | "login-1m";q=5;w=60, "login-1h";q=100;w=3600   | "login-1m";r=4;t=60, "login-1h";r=99;t=3600
					login | 5/1m 100/1m                    | "login-1m";q=5;w=60, "login-1m-2";q=100;w=60   | "login-1m";r=4;t=60, "login-1m-2";r=99;t=60
					fast  | 5/500ms                        | "fast";q=5                                     | "fast";r=4;t=1
					a"bc  | 5/1m                           | "a\\"bc";q=5;w=60                              | "a\\"bc";r=4;t=60
					p     | 9/1500ms 9/90s                 | "p-1500ms";q=9, "p-90s";q=9;w=90               | "p-1500ms";r=8;t=2, "p-90s";r=8;t=90
					p     | 9/2d 9/1m                      | "p-2d";q=9;w=172800, "p-1m";q=9;w=60           | "p-2d";r=8;t=86400, "p-1m";r=8;t=60
					""")
	void eachLimitIsNamedByItsPolicyAndWhereThereAreSeveralByItsWindow(String name, String limits, String policies,
			String standings) {
		take(policy(name,
				Stream.of(limits.split(" "))
					.map((limit) -> limit.split("/"))
					.map((limit) -> fixed(Long.parseLong(limit[0]), limit[1]))
					.toArray(RateLimit[]::new)),
				1);
		assertThat(fields()).containsEntry("RateLimit-Policy", policies).containsEntry("RateLimit", standings);
	}

	@Test
	void aWindowOfACalendarIsLeftOutAndNamedByItsPeriod() {
		take(policy("quota", CalendarModel.limit(10_000, "P1M", "UTC", null), fixed(100, "1m"),
				CalendarModel.limit(20_000, "P1M", "Asia/Tokyo", null)), 1);
		assertThat(fields())
			.containsEntry("RateLimit-Policy",
					"\"quota-month\";q=10000, \"quota-1m\";q=100;w=60, \"quota-month-2\";q=20000")
			.containsEntry("RateLimit",
					"\"quota-month\";r=9999;t=2332800, \"quota-1m\";r=99;t=60, \"quota-month-2\";r=19999;t=2300400");
	}

	@Test
	void shortNamesAreNumbersInTheOrderOfDefinition() {
		RateLimitPolicy second = policy("Z.secret", fixed(10, "1m"));
		RateLimitPolicy third = policy("A.secret", fixed(5, "1m"), fixed(100, "1h"));
		take(third, 1);
		take(second, 11);
		Map<String, String> fields = fields(ResetFormat.SECONDS, PolicyNames.SHORT);
		assertThat(fields).containsEntry("RateLimit-Policy",
				"\"p2-1m\";q=5;w=60, \"p2-1h\";q=100;w=3600, \"p1\";q=10;w=60");
		assertThat(fields.get("RateLimit")).startsWith("\"p2-1m\";r=").doesNotContain("secret");
		assertThat(violated(PolicyNames.SHORT, second)).isEqualTo("[\"p1\"]");
	}

	@Test
	void withoutNamesTheTightestLimitAloneIsSent() {
		RateLimitPolicy policy = policy("login", fixed(5, "1m"), fixed(5, "1h"));
		take(policy("secret", fixed(100, "1m")), 1);
		take(policy, 5);
		take(policy, 1);
		assertThat(fields(ResetFormat.SECONDS, PolicyNames.NONE))
			.containsEntry("RateLimit-Policy", "\"default\";q=5;w=3600")
			.containsEntry("RateLimit", "\"default\";r=0;t=3600")
			.containsEntry("X-RateLimit-Limit", "5");
		assertThat(violated(PolicyNames.NONE, policy)).isEqualTo("[\"default\"]");
	}

	private String violated(PolicyNames names, RateLimitPolicy policy) {
		String body = new String(
				new RateLimitProblem(headers(ResetFormat.SECONDS, names)).body(policy, rejection().decision()));
		return body.substring(body.indexOf('[', body.indexOf("violated-policies")), body.length() - 1);
	}

}
