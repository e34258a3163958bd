package io.github.ratelimit.expression;

import java.util.Arrays;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which key a call has when its expression gives none, and that no client can write that
 * key himself.
 */
class KeyFallbackTests {

	private final Bindings bindings = new Bindings();

	@ParameterizedTest
	@NullAndEmptySource
	void keyWithoutTextIsTheClientsAddressWithinARequest(@Nullable String text) {
		assertThat(Bindings.keyOf(this.bindings.key("#user"), TestRequest.anonymous(), text, null))
			.isEqualTo("address:192.0.2.7");
	}

	@ParameterizedTest
	@NullAndEmptySource
	void keyWithoutTextIsOneBudgetOutsideOfARequest(@Nullable String text) {
		assertThat(Bindings.keyOf(this.bindings.key("#user"), null, text, null)).isEqualTo("shared:");
	}

	@Test
	void defaultKeyIsOneBudgetOutsideOfARequest() {
		assertThat(Bindings.keyOf(this.bindings.key(""), null, "ann", null)).isEqualTo("shared:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "principal.name", "principal.name.length()", "principal?.name", "#items[0]",
			"principal.name[0]", "header('X-Api-Key').trim()", "@nobody.resolve" })
	void whatIsReadFromNobodyIsTheClientsAddress(String expression) {
		PolicyBinding binding = this.bindings.withBean("nobody", new Nobody()).key(expression);
		assertThat(Bindings.keyOf(binding, TestRequest.anonymous(), null, null)).isEqualTo("address:192.0.2.7");
	}

	@ParameterizedTest
	@ValueSource(strings = { "address:192.0.2.7", "shared:", "sha256:", "address:" })
	void clientCannotWriteTheKeyOfAnother(String sent) {
		String key = header(sent);
		assertThat(key).isNotEqualTo(sent).startsWith("sha256:").hasSize(7 + 64);
		assertThat(header(key)).as("the hash, sent as it is").isNotEqualTo(key);
	}

	@Test
	void longKeysAreShortAndStillDiffer() {
		String longest = "x".repeat(256);
		assertThat(header(longest)).isEqualTo(longest);
		assertThat(header(longest + "a")).hasSize(7 + 64).isNotEqualTo(header(longest + "b"));
	}

	@Test
	void longKeysThatAreNotUnicodeStillDiffer() {
		assertThat(header("x".repeat(256) + '\ud800')).isNotEqualTo(header("x".repeat(256) + '\ud801'));
	}

	@Test
	void keysWithAndWithoutTextOfManyKindsNeverMeet() {
		assertThat(Arrays.asList(header("192.0.2.7"), header("null"), header("shared"), header("address:192.0.2.7"),
				Bindings.keyOf(this.bindings.key("#user"), TestRequest.anonymous(), null, null),
				Bindings.keyOf(this.bindings.key("#user"), null, null, null)))
			.doesNotHaveDuplicates();
	}

	private String header(String value) {
		return Bindings.keyOf(this.bindings.key("header('X')"), new TestRequest(null, Map.of("X", value)));
	}

	public static final class Nobody {

		public @Nullable String getResolve() {
			return null;
		}

	}

}
