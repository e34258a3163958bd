package io.github.ratelimit.integration.gateway;

import java.util.Map;
import java.util.stream.Stream;

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
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.config.GatewayAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

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
					.name=RateLimit; .args.policy=filterd | names 'filterd', which is no policy | Did you mean 'filtered'? Known: '
					.name=RateLimit; .args.key=path | RateLimit of the route mine names no policy | Write the argument policy with one of ratelimit.policies. Known: '
					=RateLimit | RateLimit of the route mine names no policy | Write the argument policy
					.name=RequestRateLimiter; .args[ratelimit.policy]=filterd | names 'filterd', which is no policy | Did you mean 'filtered'? Known: '
					.name=RequestRateLimiter; .args.rate-limiter=#{@ratelimit} | RequestRateLimiter of the route mine names no policy | Write the argument ratelimit.policy with one of ratelimit.policies. Known: '
					.name=RequestRateLimiter; .args.key-resolver=#{@callers} | RequestRateLimiter of the route mine names no policy | Write the argument ratelimit.policy
					=RequestRateLimiter | RequestRateLimiter of the route mine names no policy | Write the argument ratelimit.policy
					.name=RequestRateLimiter; .args[ratelimit.policy]=filtered; .args[ratelimit.costs]=5 | has the argument 'ratelimit.costs', which there is not | Did you mean 'ratelimit.cost'?
					.name=RequestRateLimiter; .args[ratelimit.policy]=filtered; .args[ratelimit.key]=path | has the argument 'ratelimit.key', which there is not | Known: 'ratelimit.cost', 'ratelimit.policy'.
					.name=RateLimit; .args.policy=filtered; .args.ky=path | RateLimit of the route mine has the argument 'ky', which there is not | Did you mean 'key'? Known: 'cost', 'key', 'policy'.
					.name=RateLimit; .args.policy=filtered; .args.costs=5 | has the argument 'costs', which there is not | Did you mean 'cost'?
					.name=RateLimit; .args.polcy=filtered | has the argument 'polcy', which there is not | Did you mean 'policy'?
					.name=RateLimit; .args.Policy=filtered; .args.costs=5 | has the argument 'costs', which there is not | Did you mean 'cost'?
					=RateLimit=filtered, 5 | RateLimit of the route mine has the key '5', which is a number | Write a cost in full: { name: RateLimit, args: { policy: …, cost: 5 } }.
					.name=RequestRateLimiter; .args[ratelimit.policy]=filtered; .args.cost=2 | RequestRateLimiter of the route mine has the argument 'cost', which the limiter 'ratelimit' does not read | Write ratelimit.cost.
					.name=RequestRateLimiter; .args.rate-limiter=#{@ratelimit}; .args.policy=filtered | has the argument 'policy', which the limiter 'ratelimit' does not read | Write ratelimit.policy.
					.name=RequestRateLimiter; .args[ratelimit.policy]=filtered; .args.key=path | has the argument 'key', which the limiter 'ratelimit' does not read | Write key-resolver with a KeyResolver bean of Spring Cloud Gateway as "#{@name}"
					.name=RequestRateLimiter; .args[ratelimit.policy]=filtered; .args[redis-rate-limiter.requestedTokens]=2 | has the argument 'redis-rate-limiter.requestedTokens', which the limiter 'ratelimit' does not read | In place of requestedTokens write ratelimit.cost.
					.name=RequestRateLimiter; .args[ratelimit.policy]=filtered; .args[rate-limit.cost]=2 | has the argument 'rate-limit.cost', which | Remove it
					=RateLimit=filtered, path, 5 | has more arguments than a policy and a key | In short they are written RateLimit=policy, key.
					=RateLimit=filtered, #{@ratelimit} | RateLimit of the route mine has a key that is neither an expression nor a KeyResolver, but a PolicyRateLimiter | Write an expression such as
					=RateLimit=filtered, @callers | names the bean 'callers', which is a KeyResolver of Spring Cloud Gateway | is written #{@callers}.
					""")
	void mistakeInAFilterOfARouteFailsStartUpAndSaysWhatToWrite(String filter, String mistake, String action,
			CapturedOutput output) {
		assertThatException().isThrownBy(() -> Gateway.start(target, Gateway.class, mine(filter)).close());
		assertThat(output).contains("APPLICATION FAILED TO START", mistake, action);
	}

	private static String[] mine(String filter, String... more) {
		Stream<String> route = Stream.of("id=mine", "uri=" + target.uri(), "predicates[0]=Path=/mine");
		Stream<String> arguments = Stream.of(filter.split("; ")).map((each) -> "filters[0]" + each);
		Stream<String> properties = Stream.concat(route, arguments).map((each) -> ROUTE + each);
		return Stream.concat(properties, Stream.of(more)).toArray(String[]::new);
	}

	@ParameterizedTest
	@ValueSource(strings = { ".name=RequestRateLimiter; .args[ratelimit.policy]=filtered",
			".name=RequestRateLimiter; .args[ratelimit.policy]=filtered; .args[redis-rate-limiter.replenishRate]=9; "
					+ ".args[redis-rate-limiter.burstCapacity]=9" })
	void policyIsNamedToNoOtherLimiter(String filter, CapturedOutput output) {
		String[] properties = mine(filter, "--spring.cloud.gateway.server.webflux.redis.enabled=true");
		assertThatException().isThrownBy(() -> Gateway.start(target, Gateway.class, properties).close());
		assertThat(output).contains("APPLICATION FAILED TO START",
				"RequestRateLimiter of the route mine has the argument 'ratelimit.policy', which its limiter, a "
						+ "RedisRateLimiter, does not read",
				"Write rate-limiter: \"#{@ratelimit}\" beside it, or the filter RateLimit instead.");
	}

	@Test
	void limiterOfTheApplicationThatHasTheNameOfOursReadsItsOwnArguments() {
		String[] properties = mine(
				".name=RequestRateLimiter; .args[ratelimit.policy]=any; .args.key-resolver=#{@callers}");
		try (ConfigurableApplicationContext context = Gateway.start(target, WithOwnLimiter.class, properties)) {
			assertThat(context.getBeansOfType(PolicyRateLimiter.class)).isEmpty();
			Client client = new Client(Gateway.port(context));
			assertThat(client.get("/mine", Target.CALLER, "any").statusCode()).isEqualTo(200);
		}
	}

	@Test
	void defaultFilterAndThatOfTheRouteBothCount() {
		String common = "--spring.cloud.gateway.server.webflux.default-filters[0].";
		String[] properties = mine(
				".name=RequestRateLimiter; .args[ratelimit.policy]=wide; .args.key-resolver=#{@callers}",
				common + "name=RequestRateLimiter", common + "args.key-resolver=#{@callers}",
				common + "args[ratelimit.policy]=requested");
		try (ConfigurableApplicationContext context = Gateway.start(target, Gateway.class, properties)) {
			Client client = new Client(Gateway.port(context));
			for (int expected : new int[] { 200, 200, 429 }) {
				assertThat(client.get("/mine", Target.CALLER, "both").statusCode()).isEqualTo(expected);
			}
			RateLimiterRegistry policies = context.getBean(RateLimiterRegistry.class);
			assertThat(policies.peek("wide", "both").limits().get(0).remaining()).isEqualTo(1);
		}
	}

	@Test
	void keyOfGatewayIsRecognizedWhicheverInterfaceItIsDeclaredWith(CapturedOutput output) {
		assertThatException().isThrownBy(
				() -> Gateway.start(target, WithTenants.class, "--ratelimit.policies.filtered.key=@tenants").close());
		assertThat(output).contains("names the bean 'tenants', which is a KeyResolver of Spring Cloud Gateway");
	}

	@Test
	void mistakeIsFoundThoughTheApplicationPassesEventsOnByOtherThreads() {
		String[] route = Stream
			.of("id=mine", "uri=http://127.0.0.1", "predicates[0]=Path=/**", "filters[0].name=RateLimit",
					"filters[0].args.policy=filtered", "filters[0].args.ky=path")
			.map((each) -> ROUTE + each)
			.toArray(String[]::new);
		try (ConfigurableApplicationContext context = Gateway.start(target, LaterEvents.class, route)) {
			assertThatException().isThrownBy(() -> context.getBean(RouteLocator.class).getRoutes().blockLast())
				.withMessageContaining("RateLimit of the route mine has the argument 'ky', which there is not");
		}
	}

	@Test
	void filterOfARouteIsWrittenInAnyWayThatGatewayReads() {
		String[] properties = Stream
			.of("id=mine", "uri=" + target.uri(), "predicates[0]=Path=/mine", "filters[0]=RewritePath=/mine, /mine",
					"filters[1].name=RateLimit", "filters[1].args.policy=filtered", "filters[1].args.Cost=2",
					"filters[2]=PreserveHostHeader")
			.map((each) -> ROUTE + each)
			.toArray(String[]::new);
		try (ConfigurableApplicationContext context = Gateway.start(target, Gateway.class, properties)) {
			Client client = new Client(Gateway.port(context));
			assertThat(client.get("/mine", Target.CALLER, "any").statusCode()).isEqualTo(200);
			assertThat(client.get("/mine", Target.CALLER, "any").statusCode()).isEqualTo(429);
		}
	}

	@Test
	void routeOfCodeThatNamesNoPolicyForOurLimiterFailsStartUp(CapturedOutput output) {
		assertThatException().isThrownBy(() -> Gateway.start(target, NamelessRouteOfCode.class).close());
		assertThat(output).contains("RequestRateLimiter of the route of-code names no policy");
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
	void aCostAboveTheCapacityFailsStartUp(CapturedOutput output) {
		assertThatException().isThrownBy(
				() -> Gateway
					.start(target, Gateway.class, ROUTE + "id=mine", ROUTE + "uri=http://127.0.0.1",
							ROUTE + "predicates[0]=Path=/**", ROUTE + "filters[0].name=RateLimit",
							ROUTE + "filters[0].args.policy=filtered", ROUTE + "filters[0].args.cost=1001")
					.close());
		assertThat(output).contains("APPLICATION FAILED TO START",
				"The cost expression '1001' of filter RateLimit of the "
						+ "route mine takes 1001 permits, but the limit '",
				"Write a cost from 1 to ");
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
	static class NamelessRouteOfCode {

		@Bean
		RouteLocator routes(RouteLocatorBuilder builder, PolicyRateLimiter limiter) {
			return builder.routes()
				.route("of-code",
						(route) -> route.path("/of-code")
							.filters(
									(filters) -> filters.requestRateLimiter((config) -> config.setRateLimiter(limiter)))
							.uri("http://127.0.0.1"))
				.build();
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

	@Configuration(proxyBeanMethods = false)
	@Import(Gateway.class)
	static class LaterEvents {

		@Bean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)
		static SimpleApplicationEventMulticaster events() {
			SimpleApplicationEventMulticaster events = new SimpleApplicationEventMulticaster();
			events.setTaskExecutor(new SimpleAsyncTaskExecutor());
			return events;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Gateway.class)
	static class WithOwnLimiter {

		@Bean
		RateLimiter<Object> ratelimit() {
			return new AbstractRateLimiter<>(Object.class, "ratelimit", null) {

				@Override
				public Mono<Response> isAllowed(String route, String key) {
					return Mono.just(new Response(true, Map.of()));
				}

			};
		}

	}

	interface TenantKeyResolver extends KeyResolver {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Gateway.class)
	static class WithTenants {

		@Bean(autowireCandidate = false)
		TenantKeyResolver tenants() {
			return (exchange) -> Mono.just("tenant");
		}

	}

}
