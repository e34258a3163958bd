package io.github.ratelimit.integration.documentation.recipes.proxy;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each test sends what the proxy would send. The first request of an address passes, the
 * second does not.
 */
class ProxyRecipeTests {

	private static final String FORGED = "192.0.2.66";

	@Test
	void nginxAppendsTheClient() {
		try (Recipe recipe = start("nginx")) {
			assertThat(get(recipe, "10.1.2.3", "X-Forwarded-For", FORGED + ", 203.0.113.1")).isEqualTo(200);
			assertThat(get(recipe, "10.1.2.4", "X-Forwarded-For", "192.0.2.67, 203.0.113.1")).isEqualTo(429);
			assertThat(get(recipe, "10.1.2.3", "X-Forwarded-For", "203.0.113.2")).isEqualTo(200);
		}
	}

	@Test
	void whoReachesTheApplicationWithoutTheProxyIsNotBelieved() {
		try (Recipe recipe = start("nginx")) {
			assertThat(get(recipe, "198.51.100.1", "X-Forwarded-For", "203.0.113.1")).isEqualTo(200);
			assertThat(get(recipe, "198.51.100.1", "X-Forwarded-For", "203.0.113.2")).isEqualTo(429);
		}
	}

	@Test
	void loadBalancerAppendsTheClient() {
		try (Recipe recipe = start("AWS Application Load Balancer")) {
			assertThat(get(recipe, "10.0.17.5", "X-Forwarded-For", FORGED + ", 203.0.113.1")).isEqualTo(200);
			assertThat(get(recipe, "10.0.99.9", "X-Forwarded-For", "203.0.113.1")).isEqualTo(429);
		}
	}

	@Test
	void cloudflareSendsTheClientInAFieldOfItsOwn() {
		try (Recipe recipe = start("Cloudflare")) {
			assertThat(get(recipe, "172.70.1.1", "CF-Connecting-IP", "203.0.113.1", "X-Forwarded-For", FORGED))
				.isEqualTo(200);
			assertThat(get(recipe, "2606:4700::1", "CF-Connecting-IP", "203.0.113.1")).isEqualTo(429);
			assertThat(get(recipe, "198.51.100.1", "CF-Connecting-IP", "203.0.113.1")).isEqualTo(200);
		}
	}

	@Test
	void whoReachesTheLoadBalancerWithoutCloudflareIsNotBelieved() {
		try (Recipe recipe = start("Cloudflare in front of a load balancer")) {
			assertThat(get(recipe, "10.0.17.5", "X-Forwarded-For", FORGED + ", 203.0.113.1, 172.70.1.1"))
				.isEqualTo(200);
			assertThat(get(recipe, "10.0.17.5", "X-Forwarded-For", "203.0.113.1, 172.70.1.2")).isEqualTo(429);
			assertThat(get(recipe, "10.0.17.5", "X-Forwarded-For", "203.0.113.2, 198.51.100.1")).isEqualTo(200);
			assertThat(get(recipe, "10.0.17.5", "X-Forwarded-For", "203.0.113.3, 198.51.100.1")).isEqualTo(429);
		}
	}

	private static Recipe start(String heading) {
		return Recipe.start(heading, PeerConfiguration.class, Handlers.class);
	}

	private static int get(Recipe recipe, String peer, String... headers) {
		String[] all = new String[headers.length + 2];
		System.arraycopy(headers, 0, all, 2, headers.length);
		all[0] = PeerConfiguration.PEER;
		all[1] = peer;
		return recipe.get("/", all);
	}

	@RestController
	static class Handlers {

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1d")
		String hello() {
			return "Hello";
		}

	}

}
