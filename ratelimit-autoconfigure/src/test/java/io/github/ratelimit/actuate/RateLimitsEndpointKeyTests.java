package io.github.ratelimit.actuate;

import java.util.UUID;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key can be any text.
 */
@ActuatorTest
class RateLimitsEndpointKeyTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private RateLimiterRegistry limiter;

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "../c", "d e", "f+g", "100%", "h%2Fi", "k&key=l", "m=n", "o#p", "q?r", "'s'", "{t}",
			"#{7*7}", "${u}", "v;w=x", "y,z", "2001:db8::/64", "Grüße", "ключ", "😀", " ", "\u0000" })
	void keyIsFoundAndResetWhateverItIsMadeOf(String key) {
		this.limiter.decide("login", key);
		assertThat(remaining("login", key)).isEqualTo(1);
		assertThat(remaining("login", "x" + key)).isEqualTo(2);
		this.client.delete()
			.uri((uri) -> uri.path("/actuator/ratelimits/login").queryParam("key", "{key}").build(key))
			.exchange()
			.expectStatus()
			.isNoContent();
		assertThat(this.limiter.peek("login", key).remaining()).isEqualTo(2);
	}

	@Test
	void keyTooLongToBeKeptIsFoundByItsText() {
		String token = "Bearer " + "x".repeat(500) + UUID.randomUUID();
		this.client.get().uri("/search").header("X-Api-Key", token).exchange().expectStatus().isOk();
		assertThat(remaining("SearchController.search", token)).isEqualTo(1);
		assertThat(remaining("SearchController.search", token + "x")).isEqualTo(2);
	}

	@Test
	void clientWhoseOwnKeyIsEmptyIsFoundByItsAddress() {
		this.client.get().uri("/search").exchange().expectStatus().isOk();
		assertThat(remaining("SearchController.search", "address:127.0.0.1")).isEqualTo(1);
	}

	private int remaining(String policy, String key) {
		Object[] remaining = new Object[1];
		this.client.get()
			.uri((uri) -> uri.path("/actuator/ratelimits/" + policy).queryParam("key", "{key}").build(key))
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.standing.remaining")
			.value((value) -> remaining[0] = value);
		return (Integer) remaining[0];
	}

}
