package io.github.ratelimit.web;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which values of a parameter those who serve a request may find.
 */
class ParameterValuesTests {

	private final ParameterValues values = new ParameterValues("user_name");

	@Test
	void valuesAreThoseThatDiffer() {
		assertThat(this.values.distinct()).isEmpty();
		this.values.add("user_name", Arrays.asList("b", null, "a", "b"));
		this.values.add("other", List.of("c"));
		this.values.add("user", List.of("c"));
		this.values.add("user_names", List.of("c"));
		assertThat(this.values.distinct()).containsExactly("b", "", "a");
	}

	@ParameterizedTest
	@ValueSource(strings = { "USER_name", " user_name", "user.name", "user name", "user_name[]", "user_name[x",
			"user[name", "user_name\u0000x", "x;user_name" })
	void nameMayBeTakenForTheParameters(String name) {
		this.values.add(name, List.of("ada"));
		this.values.add("user_name", List.of("bob"));
		assertThat(this.values.distinct()).containsExactly("ada", "bob");
	}

	@Test
	void semicolonMayEndAValue() {
		this.values.add("user_name", List.of("a;b;user_name=c"));
		this.values.add("x", List.of("1;USER_NAME=d", ";user_name", ";user_name="));
		assertThat(this.values.distinct()).containsExactly("a;b;user_name=c", "a", "c", "d", "");
	}

	@Test
	void noneIsKnownIfOneCouldNotBeDecoded() {
		this.values.add("user_name", List.of("ada"));
		this.values.add("x", List.of("\uFFFD"));
		assertThat(this.values.distinct()).containsExactly("ada");
		this.values.add("user_name", List.of("ada\uFFFD"));
		assertThat(this.values.distinct()).isEmpty();
	}

}
