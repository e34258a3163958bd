package io.github.ratelimit.actuate;

import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.actuate.Answers.check;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key can be any text, and a client is found by its address however that is written.
 */
class RateLimitsEndpointKeyTests extends ActuatorTest {

	private static final String SEARCH = "SearchController.search";

	private void checkRemaining(String policy, String typed, String held, int remaining) {
		check(get("/{policy}?key={key}", policy, typed), 200, "$.key", held, "$.standing.remaining", remaining);
	}

	private void checkSameKey(String policy, String typed, String held) {
		this.registry.reset(policy, held);
		checkRemaining(policy, typed, held, 2);
		this.registry.decide(policy, held);
		checkRemaining(policy, typed, held, 1);
		check(delete("/{policy}?key={key}", policy, typed), 204);
		assertThat(this.registry.peek(policy, held).remaining()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "../c", "d e", "f+g", "100%", "h%2Fi", "k&key=l", "m=n", "o#p", "q?r", "'s'", "{t}",
			"#{7*7}", "${u}", "v;w=x", "y,z", "Grüße", "ключ", "😀", " ", "\u0000", "2001:db8:0:0::/64",
			"2001:db8:0:7::/48", "2001:db8::1/x", "192.0.2.1/64", "example.com", "::1::" })
	void keyThatIsNoAddressIsFoundAndResetAsTyped(String key) {
		checkSameKey("login", key, key);
		checkRemaining("login", "x" + key, "x" + key, 2);
	}

	@ParameterizedTest
	@CsvSource({ "2001:db8:0:7::1, 2001:db8:0:7::/64", "2001:DB8:0:7:0:0:0:1, 2001:db8:0:7::/64",
			"2001:db8:0:7:8:9:a:b, 2001:db8:0:7::/64", "[2001:db8:0:7::1], 2001:db8:0:7::/64",
			"2001:db8:0:7::/64, 2001:db8:0:7::/64", "2001:db8:0:7:0:0:0:0/64, 2001:db8:0:7::/64",
			"address:2001:db8:0:7::1, 2001:db8:0:7::/64", "2001:db8:0:7::1%eth0, 2001:db8:0:7::/64",
			"2001:db8::/64, 2001:db8:0:0::/64", "192.0.2.1, 192.0.2.1", "::ffff:192.0.2.1, 192.0.2.1",
			"::FFFF:C000:201, 192.0.2.1", "address:192.0.2.1, 192.0.2.1" })
	void clientIsFoundByAnyOfItsAddressesHoweverTheyAreWritten(String typed, String held) {
		checkSameKey("login", typed, held);
	}

	@Test
	void addressIsNotNormalisedWhereTheKeyIsSomethingElse() {
		checkSameKey(SEARCH, "2001:DB8::1", "2001:DB8::1");
	}

	@Test
	void clientWhoseOwnKeyIsEmptyIsFoundByItsAddress() {
		checkSameKey(SEARCH, "address:2001:DB8::1", "address:2001:db8:0:0::/64");
		check(ask("/search"), 200);
		checkRemaining(SEARCH, "address:127.0.0.1", "address:127.0.0.1", 1);
	}

	@Test
	void keyTooLongToBeKeptIsFoundByItsTextAndTheHashThatItIsHeldUnder() {
		String token = "Bearer " + "x".repeat(500) + UUID.randomUUID();
		check(this.client.get().uri("/search").header("X-Api-Key", token).exchange(), 200);
		check(get("/{policy}?key={key}", SEARCH, token + "x"), 200, "$.standing.remaining", 2);
		get("/{policy}?key={key}", SEARCH, token).expectBody()
			.jsonPath("$.standing.remaining")
			.isEqualTo(1)
			.jsonPath("$.key")
			.value(String.class, (held) -> {
				assertThat(held).startsWith("sha256:").hasSize(7 + 64);
				checkSameKey(SEARCH, held, held);
			});
	}

}
