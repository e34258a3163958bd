package io.github.ratelimit.actuate;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Who is rejected most, without anything that must be turned on.
 */
class RejectedKeysEndpointTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final WebApplicationContextRunner context = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class))
		.withBean(RateLimitClock.class, () -> this.clock)
		.withPropertyValues("ratelimit.instance=shop-1", "ratelimit.policies.login.limit=2",
				"ratelimit.policies.login.window=1m");

	private final WebApplicationContextRunner exposed = this.context
		.withPropertyValues("management.endpoints.web.exposure.include=ratelimits");

	@Test
	void isToldSinceTheStartAndLately() {
		this.exposed.withPropertyValues("management.endpoint.ratelimits.show-keys=always").run((application) -> {
			assertThat(json(application).path("keys").isEmpty()).isTrue();
			assertThat(json(application).path("hour").isEmpty()).isTrue();
			reject(application);
			JsonNode told = json(application);
			assertThat(told.path("instance").asString()).isEqualTo("shop-1");
			assertThat(told.path("policy").asString()).isEqualTo("login");
			assertThat(told.path("hour")).isEqualTo(told.path("keys"));
			assertThat(told.path("keys").toString()).startsWith("[{\"key\":\"203.0.113.7\",\"hash\":\"")
				.endsWith("\",\"rejected\":3,\"error\":0,\"first\":\"2026-03-05T00:00:00Z\","
						+ "\"last\":\"2026-03-05T00:00:00Z\"}]");
			this.clock.advance(Duration.ofHours(1));
			assertThat(json(application).path("hour").isEmpty()).isTrue();
			assertThat(json(application).path("keys").size()).isOne();
		});
	}

	private static JsonNode json(ApplicationContext application) {
		return JsonMapper.shared().valueToTree(ask(application, SecurityContext.NONE, "login").getBody());
	}

	@ParameterizedTest
	@CsvSource({ "never, ADMIN, false", "when-authorized, USER, false", "when_authorized, ADMIN, true",
			"ALWAYS, USER, true" })
	void keysAreShownOnlyToThoseWhoMaySeeThem(String show, String role, boolean shown) {
		SecurityContext user = mock();
		given(user.getPrincipal()).willReturn(() -> "ada");
		given(user.isUserInRole(role)).willReturn(true);
		this.exposed
			.withPropertyValues("management.endpoint.ratelimits.show-keys=" + show,
					"management.endpoint.ratelimits.roles=ADMIN")
			.run((application) -> {
				reject(application);
				String text = String.valueOf(ask(application, user, "login").getBody());
				assertThat(text).contains("rejected=3, error=0").matches("(?s).*hash=[0-9a-f]{16}.*");
				assertThat(text.contains("203.0.113.7")).isEqualTo(shown);
			});
	}

	@Test
	void policyThatIsNotThereHasNone() {
		this.exposed.run((application) -> assertThat(ask(application, SecurityContext.NONE, "other").getStatus())
			.isEqualTo(404));
	}

	@Test
	void nothingIsCountedWhereNobodyCanAsk() {
		this.context.run((application) -> {
			reject(application);
			assertThat(application.getBean(StoreRateLimiterRegistry.class).policy("login").rejectedMost()).isEmpty();
		});
	}

	private static WebEndpointResponse<?> ask(ApplicationContext application, SecurityContext asking, String policy) {
		return application.getBean(RateLimitsEndpointWebExtension.class).detail(asking, policy, "rejected", null, null);
	}

	private static void reject(ApplicationContext application) {
		RateLimiterRegistry registry = application.getBean(RateLimiterRegistry.class);
		for (int i = 0; i < 5; i++) {
			registry.policy("login").decide("203.0.113.7", 1);
		}
	}

}
