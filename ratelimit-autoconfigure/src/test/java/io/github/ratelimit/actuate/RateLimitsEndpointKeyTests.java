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
			"#{7*7}", "${u}", "v;w=x", "y,z", "2001:db8:0:0::/64", "Grüße", "ключ", "😀", " ", "\u0000" })
	void keyIsFoundAndResetWhateverItIsMadeOf(String key) {
		this.limiter.decide("login", key);
		assertThat(remaining("login", key)).isEqualTo(1);
		assertThat(remaining("login", "x" + key)).isEqualTo(2);
		Answers.check(this.client.delete()
			.uri((uri) -> uri.path("/actuator/ratelimits/login").queryParam("key", "{key}").build(key))
			.exchange(), 204);
		assertThat(this.limiter.peek("login", key).remaining()).isEqualTo(2);
	}

	@Test
	void keyTooLongToBeKeptIsFoundByItsText() {
		String token = "Bearer " + "x".repeat(500) + UUID.randomUUID();
		Answers.check(this.client.get().uri("/search").header("X-Api-Key", token).exchange(), 200);
		assertThat(remaining("SearchController.search", token)).isEqualTo(1);
		assertThat(remaining("SearchController.search", token + "x")).isEqualTo(2);
	}

	@Test
	void clientWhoseOwnKeyIsEmptyIsFoundByItsAddress() {
		Answers.check(this.client.get().uri("/search").exchange(), 200);
		assertThat(remaining("SearchController.search", "address:127.0.0.1")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "2001:db8:0:7::1", "2001:DB8:0:7:0:0:0:1", "2001:db8:0:7:8:9:a:b", "[2001:db8:0:7::1]",
			"2001:db8:0:7::/64", "2001:db8:0:7:0:0:0:0/64", "address:2001:db8:0:7::1", "2001:db8:0:7::1%eth0" })
	void clientIsFoundByAnyOfItsAddresses(String typed) {
		checkSameKey("login", typed, "2001:db8:0:7::/64");
	}

	@ParameterizedTest
	@ValueSource(strings = { "192.0.2.1", "::ffff:192.0.2.1", "::FFFF:C000:201", "address:192.0.2.1" })
	void clientWithAnIPv4AddressIsFoundHoweverItIsWritten(String typed) {
		checkSameKey("login", typed, "192.0.2.1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "2001:db8:0:7::/48", "2001:db8::1/x", "192.0.2.1/64", "example.com", "::1::" })
	void whatIsNoAddressOfAClientIsLookedUpAsTyped(String typed) {
		checkSameKey("login", typed, typed);
	}

	@Test
	void prefixOfAClientIsFoundInItsShortForm() {
		checkSameKey("login", "2001:db8::/64", "2001:db8:0:0::/64");
	}

	@Test
	void fallbackOfAClientIsFoundByAnyOfItsAddresses() {
		checkSameKey("SearchController.search", "address:2001:DB8::1", "address:2001:db8:0:0::/64");
	}

	@Test
	void addressIsNotNormalisedWhereTheKeyIsSomethingElse() {
		checkSameKey("SearchController.search", "2001:DB8::1", "2001:DB8::1");
	}

	@Test
	void answerTellsTheHashThatALongKeyIsHeldUnder() {
		String token = "x".repeat(300);
		String held = key("login", token);
		assertThat(held).startsWith("sha256:").hasSize(7 + 64);
		checkSameKey("login", held, held);
	}

	private void checkSameKey(String policy, String typed, String held) {
		this.limiter.reset(policy, held);
		assertThat(remaining(policy, typed)).isEqualTo(2);
		this.limiter.decide(policy, held);
		assertThat(key(policy, typed)).isEqualTo(held);
		assertThat(remaining(policy, typed)).isEqualTo(1);
		Answers.check(this.client.delete()
			.uri((uri) -> uri.path("/actuator/ratelimits/" + policy).queryParam("key", "{key}").build(typed))
			.exchange(), 204);
		assertThat(this.limiter.peek(policy, held).remaining()).isEqualTo(2);
	}

	private String key(String policy, String key) {
		return (String) field(policy, key, "$.key");
	}

	private int remaining(String policy, String key) {
		return (Integer) field(policy, key, "$.standing.remaining");
	}

	private Object field(String policy, String key, String path) {
		Object[] field = new Object[1];
		this.client.get()
			.uri((uri) -> uri.path("/actuator/ratelimits/" + policy).queryParam("key", "{key}").build(key))
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath(path)
			.value((value) -> field[0] = value);
		return field[0];
	}

}
