package io.github.ratelimit.integration.gateway;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.gateway.RateLimitGatewayFilterFactory;
import io.github.ratelimit.integration.fixtures.Client;
import io.github.ratelimit.integration.fixtures.Target;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.cache.LocalResponseCacheGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.factory.cache.LocalResponseCacheGatewayFilterFactory.RouteCacheConfiguration;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits on routes whose responses Gateway caches.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class CachedRouteTests {

	private static final String SERVER = "--spring.cloud.gateway.server.webflux.";

	private static final Target target = Target.start();

	private static ConfigurableApplicationContext gateway;

	private static Client client;

	private static String written;

	@BeforeAll
	static void start(CapturedOutput output) {
		gateway = Gateway.start(target, RoutesOfCode.class, SERVER + "routes[0].id=ruled",
				SERVER + "routes[0].uri=" + target.uri(), SERVER + "routes[0].predicates[0]=Path=/ruled/**",
				SERVER + "routes[0].filters[0]=LocalResponseCache=30m", SERVER + "routes[1].id=filtered",
				SERVER + "routes[1].uri=" + target.uri(), SERVER + "routes[1].predicates[0]=Path=/filtered/**",
				SERVER + "routes[1].filters[0]=RateLimit=filtered",
				SERVER + "routes[1].filters[1]=LocalResponseCache=30m");
		client = new Client(Gateway.port(gateway));
		written = output.getAll();
	}

	@AfterAll
	static void stop() {
		gateway.close();
		target.close();
	}

	@Test
	void ruleIsAskedBeforeTheCacheAndSetsTheFieldsOfTheClient() {
		for (String caller : List.of("ann", "bob")) {
			for (int left : new int[] { 1, 0 }) {
				HttpResponse<String> answer = get("ruled", caller);
				assertThat(answer.statusCode()).isEqualTo(200);
				assertThat(answer.headers().allValues("RateLimit")).hasSize(2)
					.contains("\"target\";r=98;t=7")
					.anyMatch((line) -> line.startsWith("\"ruled\";r=" + left));
				assertThat(answer.headers().allValues("RateLimit-Policy")).hasSize(2);
				assertThat(answer.headers().allValues("X-RateLimit-Remaining")).containsExactly(String.valueOf(left));
			}
			assertThat(get("ruled", caller).statusCode()).isEqualTo(429);
		}
		assertThat(target.requests("bob")).as("from the cache").isZero();
	}

	@Test
	void cachedResponseOfALimitedRouteHasNoFieldsOfTheFirstClient() {
		assertThat(get("filtered", "eve").headers().allValues("RateLimit")).hasSize(2);
		HttpResponse<String> cached = get("filtered", "joe");
		assertThat(cached.headers().allValues("RateLimit")).containsExactly("\"target\";r=98;t=7");
		assertThat(cached.headers().map()).doesNotContainKey("x-ratelimit-remaining");
		assertThat(target.requests("joe")).as("from the cache").isZero();
	}

	@Test
	void rejectionByAFilterBehindTheCacheHasItsFields() {
		for (String page : List.of("/one", "/two")) {
			assertThat(client.get("/filtered" + page, Target.CALLER, "ada").statusCode()).isEqualTo(200);
		}
		HttpResponse<String> rejected = client.get("/filtered/three", Target.CALLER, "ada");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.headers().allValues("RateLimit")).singleElement().asString().startsWith("\"filtered\";r=0");
		assertThat(rejected.headers().allValues("Retry-After")).hasSize(1);
	}

	@Test
	void limitThatTheCacheComesBeforeIsReported() {
		assertThat(written)
			.containsOnlyOnce("The route 'filtered' applies the policy 'filtered' by a filter, and Gateway's cache "
					+ "answers before it. Limit the route by a rule");
		assertThat(written.split("\\(RL030\\)", -1)).as("'filtered' and 'late'").hasSize(3);
	}

	@Test
	void limitThatCodePutsBeforeTheCacheIsAskedAndSetsTheFieldsOfTheClient() {
		for (String caller : List.of("kim", "lee")) {
			assertThat(get("early", caller).headers().allValues("RateLimit")).hasSize(2)
				.anyMatch((line) -> line.startsWith("\"early\";r=1"));
			assertThat(get("early", caller).statusCode()).isEqualTo(200);
			assertThat(get("early", caller).statusCode()).isEqualTo(429);
		}
		assertThat(target.requests("lee")).as("from the cache").isZero();
		assertThat(written).doesNotContain("The route 'early'");
	}

	@Test
	void cacheThatCodePutsBeforeItsOwnPlaceIsKnownForOne() {
		assertThat(get("late", "max").headers().allValues("RateLimit")).hasSize(2);
		assertThat(get("late", "zoe").headers().allValues("RateLimit")).containsExactly("\"target\";r=98;t=7");
		assertThat(written).containsOnlyOnce("The route 'late' applies the policy 'late' by a filter");
	}

	private static HttpResponse<String> get(String route, String caller) {
		return client.get("/" + route + "/page", Target.CALLER, caller);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Gateway.class)
	static class RoutesOfCode {

		@Bean
		RouteLocator routes(RouteLocatorBuilder builder, RateLimitGatewayFilterFactory limits,
				LocalResponseCacheGatewayFilterFactory caches, @Value("${target}") String target) {
			GatewayFilter cache = caches.apply(new RouteCacheConfiguration().setTimeToLive(Duration.ofMinutes(30)));
			return builder.routes()
				.route("early",
						(route) -> route.path("/early/**")
							.filters((filters) -> filters.filter(cache)
								.filter(limits.apply((limit) -> limit.setPolicy("early")), -20))
							.uri(target))
				.route("tied",
						(route) -> route.path("/tied/**")
							.filters((filters) -> filters.filter(limits.apply((limit) -> limit.setPolicy("early")), -4)
								.filter(cache))
							.uri(target))
				.route("late",
						(route) -> route.path("/late/**")
							.filters((filters) -> filters.filter(cache, -10, true)
								.filter(limits.apply((limit) -> limit.setPolicy("late")), -5))
							.uri(target))
				.build();
		}

	}

}
