package io.github.ratelimit.annotation;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Whatever a class and a method are called, their policy can be named by it.
 */
class DerivedNamesTests {

	private final Catalogue catalogue = new Catalogue();

	@ParameterizedTest
	@ValueSource(strings = { "Posts.save(String[], Map)", "Posts.it is limited", "Posts$1.run", "Posts.wasn't?" })
	void nameThatIsPossibleStaysAsItIs(String name) {
		assertThat(AnnotatedPlace.validName(name)).isEqualTo(name);
	}

	@Test
	void letterThatAHeaderCannotCarryIsReplaced() {
		assertThat(this.catalogue.names(Größen.class, "größe")).singleElement()
			.asString()
			.matches("Gr__en\\.gr__e-[0-9a-f]{8}");
	}

	@Test
	void namesThatDifferOnlyInSuchLettersStayDifferentWhicheverIsSeenFirst() {
		List<String> first = Stream.of("größe", "grüße")
			.flatMap((method) -> new Catalogue().names(Größen.class, method).stream())
			.toList();
		assertThat(first).doesNotHaveDuplicates();
		assertThat(this.catalogue.names(Größen.class, "grüße")).containsExactly(first.get(1));
		assertThat(this.catalogue.names(Größen.class, "größe")).containsExactly(first.get(0));
	}

	@Test
	void longNameIsShortenedAndStaysDifferentFromOthers() {
		List<String> names = Arrays.stream(Long.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals("aMethodWithANameThatSomebodyMustHaveThoughtAboutForALongTime"))
			.map((method) -> this.catalogue.find(Long.class, method).get(0).limiter().policy().name())
			.toList();
		assertThat(names).hasSize(2).doesNotHaveDuplicates().allMatch((name) -> name.length() <= 128);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "a\\b", "a;b", "100%", ".", "..", "a\nb", "a\u0000b", "grün", " " })
	void givenNameThatCannotBeReachedIsAMistake(String name) {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> RateLimitPolicy.of(name))
			.withMessageContaining("cannot name a policy");
	}

	@Test
	void givenNameThatCannotBeReachedIsToldWhereItStands() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Named.class, "named"))
			.withMessageStartingWith(
					"@RateLimited on Named.named() is not possible: name = \"a/b\" cannot name a policy")
			.satisfies((ex) -> assertThat(ex.action()).contains("such as login", "other than / \\ ; and %"));
	}

	static class Größen {

		@RateLimited(limit = 1, window = "1s")
		public void größe() {
		}

		@RateLimited(limit = 1, window = "1s")
		public void grüße() {
		}

	}

	static class Named {

		@RateLimited(name = "a/b", limit = 1, window = "1s")
		public void named() {
		}

	}

	static class Long {

		@RateLimited(limit = 1, window = "1s")
		public void aMethodWithANameThatSomebodyMustHaveThoughtAboutForALongTime(String[] a, Map<String, String> b,
				CharSequence c, StringBuilder d, Object[] e) {
		}

		@RateLimited(limit = 1, window = "1s")
		public void aMethodWithANameThatSomebodyMustHaveThoughtAboutForALongTime(String[] a, Map<String, String> b,
				CharSequence c, StringBuilder d, List<String> e) {
		}

	}

}
