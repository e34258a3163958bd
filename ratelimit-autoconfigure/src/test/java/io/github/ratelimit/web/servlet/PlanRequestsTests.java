package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPlanResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of several plans, on a real server: each is told the numbers of its own.
 */
class PlanRequestsTests {

	private static final Map<String, String> PLANS = Map.of("acme", "pro", "globex", "enterprise", "boss", "staff",
			"typo", "por");

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class,
				"api: 2 per 1m; key=header('X-Api-Key'); plan=@plans.of(header('X-Api-Key'))",
				"api.plans.pro: 60 per 1m", "api.plans.enterprise.limits[0]: 600 per 1m",
				"api.plans.enterprise.limits[1]: 9000 per 1d", "ratelimit.policies.api.plans.staff.unlimited=true",
				"coded: 3 per 1m; key=header('X-Api-Key')", "coded.plans.pro: 30 per 1m", "ratelimit.plans.timeout=10s",
				"/ruled -> api", "/page/coded -> coded");
	}

	private static Answer get(String path, String apiKey) {
		return server.get(path, "X-Api-Key", apiKey);
	}

	@Test
	void headerFieldsNameThePlansNumbers() {
		server.limiter().policies().forEach((policy) -> PLANS.keySet().forEach(policy::reset));
		for (int i = 1; i <= 2; i++) {
			assertThat(get("/ruled", "acme").headers().map())
				.containsEntry("ratelimit-policy", List.of("\"api\";q=60;w=60"))
				.containsEntry("x-ratelimit-remaining", List.of(String.valueOf(60 - i)));
			assertThat(get("/ruled", "globex").field("ratelimit-policy"))
				.isEqualTo("\"api-1m\";q=600;w=60, \"api-1d\";q=9000;w=86400");
			assertThat(get("/ruled", "new" + i).field("ratelimit-policy")).isEqualTo("\"api\";q=2;w=60");
		}
	}

	@Test
	void aRejectionNamesThePlansNumbers() {
		for (int i = 0; i < 2; i++) {
			assertThat(get("/ruled", "typo").status()).isEqualTo(200);
		}
		Answer rejected = get("/ruled", "typo").is(429, "ratelimit-policy: \"api\";q=2;w=60");
		assertThat(rejected.body()).contains("\"violated-policies\":[\"api\"]");
		assertThat(server.limiter().policy("api").unknownPlans()).isOne();
	}

	@Test
	void anUnlimitedCallerIsToldAndCountedNothing() {
		long before = server.limiter().policy("api").count(RateLimitOutcome.ALLOWED);
		for (int i = 0; i < 10; i++) {
			get("/ruled", "boss").is(200).tellsOfNoLimit();
		}
		assertThat(server.limiter().policy("api").count(RateLimitOutcome.ALLOWED)).isEqualTo(before);
	}

	@Test
	void aResolverBeanIsAskedWhereThereIsNoExpression() {
		assertThat(get("/page/coded", "acme").field("x-ratelimit-limit")).isEqualTo("30");
		assertThat(get("/page/coded", "tiny").field("x-ratelimit-limit")).isEqualTo("3");
		assertThat(server.limiter().policy("coded").plan("acme")).isEqualTo("pro");
	}

	@Configuration
	@Import(Handlers.class)
	static class Application {

		@Bean
		Plans plans() {
			return new Plans();
		}

		@Bean
		RateLimitPlanResolver planResolver(Plans plans) {
			return (policy, key) -> plans.of(key);
		}

	}

	/**
	 * Which customer has which plan.
	 */
	public static class Plans {

		public @Nullable String of(@Nullable String apiKey) {
			return (apiKey != null) ? PLANS.get(apiKey) : null;
		}

	}

}
