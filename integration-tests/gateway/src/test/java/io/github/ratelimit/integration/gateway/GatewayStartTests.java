package io.github.ratelimit.integration.gateway;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.gateway.PolicyRateLimiter;
import io.github.ratelimit.gateway.RateLimitGatewayFilterFactory;
import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.Target;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.config.GatewayAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * How a gateway starts, and which mistakes keep it from starting.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class GatewayStartTests {

	private static final String ROUTE = "--spring.cloud.gateway.server.webflux.routes[0].";

	private static final Target target = Target.start();

	@AfterAll
	static void stop() {
		target.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					name=RateLimit         | args.policy=filterd           | filter RateLimit of the route mine names 'filterd', which
					name=RateLimit         | args.key=path                 | filter RateLimit of the route mine names '', which
					name=RequestRateLimiter| args[ratelimit.policy]=filterd| filter RequestRateLimiter of the route mine names 'filterd', which
					""")
	void policyThatThereIsNotFailsStartUpAndSaysWhatToWrite(String name, String argument, String mistake,
			CapturedOutput output) {
		assertThatException().isThrownBy(() -> Gateway
			.start(target, Gateway.class, ROUTE + "id=mine", ROUTE + "uri=http://127.0.0.1",
					ROUTE + "predicates[0]=Path=/**", ROUTE + "filters[0]." + name, ROUTE + "filters[0]." + argument)
			.close());
		assertThat(output).contains("APPLICATION FAILED TO START", mistake, "Known: '", "'filtered', ");
	}

	@Test
	void routesAreDefinedAndLetEverythingPassWhereLimitsAreTurnedOff() {
		try (ConfigurableApplicationContext context = Gateway.start(target, Gateway.class,
				"--ratelimit.enabled=false")) {
			Client client = new Client(Gateway.port(context));
			for (int i = 0; i < 3; i++) {
				for (String route : new String[] { "ruled", "filtered", "requested" }) {
					assertThat(client.get("/" + route, Target.CALLER, "any").statusCode()).isEqualTo(200);
				}
			}
		}
	}

	@Test
	void anApplicationThatExcludesTheGatewayStarts() {
		try (ConfigurableApplicationContext context = Gateway.start(target, Gateway.class,
				"--spring.autoconfigure.exclude=" + GatewayAutoConfiguration.class.getName())) {
			assertThat(context.getBeansOfType(RouteLocator.class)).isEmpty();
		}
	}

	/*
	 * With Redis, Gateway has a limiter of its own.
	 */
	@Test
	void gatewaysOwnLimiterStaysTheOneByDefaultAndRoutesOfCodeCanNameOurs(CapturedOutput output) {
		try (ConfigurableApplicationContext context = Gateway.start(target, RoutesOfCode.class,
				"--spring.cloud.gateway.server.webflux.redis.enabled=true",
				"--spring.cloud.gateway.server.webflux.routes=")) {
			assertThat(context.getBean(RateLimiter.class)).isInstanceOf(RedisRateLimiter.class);
			Client client = new Client(Gateway.port(context));
			for (String route : new String[] { "filtered", "requested" }) {
				for (int expected : new int[] { 200, 200, 429 }) {
					assertThat(client.get("/of-code/" + route, Target.CALLER, "any").statusCode()).isEqualTo(expected);
				}
			}
			assertThat(context.getBean(RateLimiterRegistry.class).policy("filtered").appliedTo())
				.containsExactly("filter RateLimit of a route in code");
			assertThat(output).doesNotContain("applies the policy 'filtered'").contains("applies the policy 'keyed'");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Gateway.class)
	static class RoutesOfCode {

		@Bean
		RouteLocator routes(RouteLocatorBuilder builder, RateLimitGatewayFilterFactory factory,
				PolicyRateLimiter limiter, KeyResolver callers, @Value("${target}") String target) {
			return builder.routes()
				.route("filtered-by-code",
						(route) -> route.path("/of-code/filtered")
							.filters((filters) -> filters
								.filter(factory.apply((config) -> config.setPolicy("filtered").setKey(callers))))
							.uri(target))
				.route("requested-by-code",
						(route) -> route.path("/of-code/requested")
							.filters((filters) -> filters.requestRateLimiter()
								.rateLimiter(PolicyRateLimiter.class, (config) -> config.setPolicy("requested"))
								.configure((config) -> config.setRateLimiter(limiter).setKeyResolver(callers)))
							.uri(target))
				.build();
		}

	}

}
