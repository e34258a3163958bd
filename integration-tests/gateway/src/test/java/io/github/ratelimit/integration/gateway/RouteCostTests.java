package io.github.ratelimit.integration.gateway;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.Target;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.handler.predicate.PredicateDefinition;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.route.RouteDefinitionWriter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What a request of a route costs, where the numbers of its policy change.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class RouteCostTests {

	private static final RateLimitOverride ONE = RateLimitOverride.of("keyed")
		.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofDays(1)))
		.build();

	private static final Target target = Target.start();

	private static ConfigurableApplicationContext gateway;

	private static RateLimiterRegistry registry;

	@BeforeAll
	static void start() {
		gateway = Gateway.start(target, Gateway.class);
		registry = gateway.getBean(RateLimiterRegistry.class);
	}

	@AfterAll
	static void stop() {
		gateway.close();
		target.close();
	}

	@BeforeEach
	@AfterEach
	void removeOverride() {
		registry.overrides().remove(ONE.target());
	}

	@ParameterizedTest
	@CsvSource({ "RateLimit, ''", "RequestRateLimiter, ratelimit." })
	void overrideBelowWhatARouteAlwaysCostsIsRefusedWhileTheRouteCostsThat(String filter, String prefix) {
		define(filter, prefix, "2");
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> registry.overrides().put(ONE))
			.withMessageContaining(
					"The cost expression '2' of filter " + filter + " of the route mine takes 2 permits");
		assertThat(registry.overrides().find(ONE.target())).isNull();

		define(filter, prefix, "1");
		registry.overrides().put(ONE);
		assertThat(registry.overrides().find(ONE.target())).isNotNull();
	}

	@Test
	void routeThatIsGoneCostsNothing() {
		define("RateLimit", "", "2");
		delete();
		registry.overrides().put(ONE);
		assertThat(registry.overrides().find(ONE.target())).isNotNull();
	}

	@Test
	void routesThatCannotBeBuiltLeaveThoseOfBeforeChecked() {
		define("RateLimit", "", "2");
		define("RateLimit", "", "3");
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> registry.overrides().put(ONE))
			.withMessageContaining("The cost expression '2' of filter RateLimit of the route mine");
	}

	@ParameterizedTest
	@CsvSource({ "RateLimit, ''", "RequestRateLimiter, ratelimit." })
	void routesThatCannotBeBuiltLeaveThoseOfBeforeEnforced(String filter, String prefix) {
		RateLimiter keyed = registry.policy("keyed");
		RateLimiter wide = registry.policy("wide");
		List<String> before = List.copyOf(wide.appliedTo());
		define(filter, Map.of(prefix + "policy", "keyed"));
		save("broken", "StripPrefix", Map.of("parts", "none"));
		try {
			define(filter, Map.of(prefix + "policy", "wide"));
			assertThat(new Client(Gateway.port(gateway)).get("/mine", Target.CALLER, filter)
				.headers()
				.allValues("RateLimit")).anyMatch((line) -> line.startsWith("\"keyed\""))
				.noneMatch((line) -> line.startsWith("\"wide"));
			assertThat(wide.appliedTo()).containsExactlyElementsOf(before);
			assertThat(keyed.appliedTo()).contains("filter " + filter + " of the route mine");
		}
		finally {
			delete("broken");
			delete();
		}
	}

	@Test
	void policyForgetsRoutesThatAreGoneOrHaveChanged() {
		StoreRateLimiter keyed = StoreRateLimiter.of(registry.policy("keyed"));
		define("RateLimit", "", "2");
		define("RateLimit", "", "1");
		assertThat(keyed.locations()).extracting(AppliedLocation::location, AppliedLocation::cost)
			.containsExactlyInAnyOrder(tuple("filter RateLimit of the route keyed", null),
					tuple("filter RateLimit of the route mine", "1"));
		delete();
		assertThat(keyed.appliedTo()).containsExactly("filter RateLimit of the route keyed");
	}

	@Test
	void routeThatNamesNoPolicyAnyMoreDoesNotKeepThatOfBefore(CapturedOutput output) {
		define("RequestRateLimiter", "ratelimit.", "1");
		delete();
		define("RequestRateLimiter", Map.of("rate-limiter", "#{@ratelimit}", "key-resolver", "#{@callers}"));
		assertThat(output).contains("The filter RequestRateLimiter of the route mine names no policy");
		define("RequestRateLimiter", "ratelimit.", "2");
		define("RequestRateLimiter", Map.of("rate-limiter", "#{@ratelimit}", "key-resolver", "#{@callers}"));
		assertThat(new Client(Gateway.port(gateway)).get("/mine", Target.CALLER, "mine").statusCode())
			.as("by the route of before")
			.isEqualTo(200);
	}

	@Test
	void refreshMayLetRequestsOfARouteWaitLonger() {
		define("RateLimit", Map.of("policy", "waiting"));
		gateway.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("refreshed", Map.of("ratelimit.policies.waiting.burst", "7")));
		try {
			gateway.publishEvent(new EnvironmentChangeEvent(gateway, Set.of()));
			assertThat(registry.policy("waiting").policy().limits().get(0).burst()).isEqualTo(7);
		}
		finally {
			gateway.getEnvironment().getPropertySources().remove("refreshed");
			gateway.publishEvent(new EnvironmentChangeEvent(gateway, Set.of()));
		}
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '~', value = { "3, path", "1, header(" })
	void routeThatIsRefusedIsNoneThatItsPolicyIsAppliedTo(String cost, String key) {
		StoreRateLimiter keyed = StoreRateLimiter.of(registry.policy("keyed"));
		List<AppliedLocation> before = List.copyOf(keyed.locations());
		define("RateLimit", Map.of("policy", "keyed", "cost", cost, "key", key));
		assertThat(keyed.locations()).containsExactlyElementsOf(before);
	}

	@Test
	void refreshBelowWhatARouteAlwaysCostsIsRefused(CapturedOutput output) {
		define("RateLimit", "", "2");
		gateway.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("refreshed", Map.of("ratelimit.policies.keyed.limit", "1")));
		try {
			gateway.publishEvent(new EnvironmentChangeEvent(gateway, Set.of()));
			assertThat(output).contains("Rate limits stay as they are",
					"The cost expression '2' of filter RateLimit of the route mine takes 2 permits");
			assertThat(registry.policy("keyed").policy().limits().get(0).limit()).isEqualTo(2);
		}
		finally {
			gateway.getEnvironment().getPropertySources().remove("refreshed");
		}
	}

	private void delete() {
		delete("mine");
	}

	private void delete(String id) {
		gateway.getBean(RouteDefinitionWriter.class).delete(Mono.just(id)).block();
		gateway.publishEvent(new RefreshRoutesEvent(this));
	}

	private void define(String filter, String prefix, String cost) {
		define(filter, Map.of(prefix + "policy", "keyed", prefix + "cost", cost));
	}

	private void define(String filter, Map<String, String> arguments) {
		save("mine", filter, arguments);
		gateway.publishEvent(new RefreshRoutesEvent(this));
	}

	private static void save(String id, String filter, Map<String, String> arguments) {
		FilterDefinition limited = new FilterDefinition();
		limited.setName(filter);
		limited.setArgs(arguments);

		RouteDefinition route = new RouteDefinition();
		route.setId(id);
		route.setUri(URI.create(target.uri()));
		route.setPredicates(List.of(new PredicateDefinition("Path=/" + id)));
		route.setFilters(List.of(limited));
		gateway.getBean(RouteDefinitionWriter.class).save(Mono.just(route)).block();
	}

}
