package io.github.ratelimit.annotation;

import java.lang.reflect.Method;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * What the policies of annotations are called.
 */
class AnnotatedPolicyNamesTests {

	private final Catalogue catalogue = new Catalogue();

	@Test
	void policyIsNamedByItsClassAndMethod() {
		assertThat(this.catalogue.names(Posts.class, "post")).containsExactly("Posts.post");
	}

	@Test
	void policyOfATypeIsNamedByTheType() {
		assertThat(this.catalogue.names(Shared.class, "one")).containsExactly("Shared");
	}

	@Test
	void policyHasTheNameThatItIsGiven() {
		assertThat(this.catalogue.names(Posts.class, "named")).containsExactly("writing");
	}

	@Test
	void secondClassOfTheSameNameIsNamedInFullAndFound() {
		assertThat(this.catalogue.names(Posts.class, "post")).containsExactly("Posts.post");
		assertThat(this.catalogue.findings()).isEmpty();
		assertThat(this.catalogue.names(Elsewhere.Posts.class, "post"))
			.containsExactly(Elsewhere.Posts.class.getName() + ".post");
		assertThat(this.catalogue.findings()).containsExactly(new RateLimitFinding(FindingCode.SHARED_NAME,
				"Posts.post", "The policies of " + Elsewhere.Posts.class.getName() + ".post and "
						+ Posts.class.getName() + ".post would both be named 'Posts.post'."));
	}

	@Test
	void overloadsAreToldApartByTheirParametersWhicheverIsSeenFirst() throws NoSuchMethodException {
		Method text = Overloads.class.getMethod("send", String.class);
		Method number = Overloads.class.getMethod("send", int.class);
		assertThat(name(new Catalogue(), text)).isEqualTo("Overloads.send(String)");
		assertThat(name(new Catalogue(), number)).isEqualTo("Overloads.send(int)");
	}

	@Test
	void overloadWithoutALimitDoesNotMakeTheNameLonger() throws NoSuchMethodException {
		Method limited = Overloads.class.getMethod("receive", String.class);
		assertThat(name(this.catalogue, limited)).isEqualTo("Overloads.receive");
	}

	@Test
	void limitsOfDifferentKeysOnOneMethodAreNumbered() {
		assertThat(this.catalogue.names(Posts.class, "twice")).containsExactly("Posts.twice", "Posts.twice-2",
				"Posts.twice-3");
		assertThat(this.catalogue.findings()).isEmpty();
	}

	@Test
	void nameIsTheSameHoweverOftenItIsAskedFor() {
		for (int i = 0; i < 3; i++) {
			assertThat(this.catalogue.names(Posts.class, "post")).containsExactly("Posts.post");
		}
		assertThat(this.catalogue.limiter().policies()).hasSize(1);
	}

	@Test
	void givenNameThatIsTakenIsAMistake() {
		this.catalogue.find(Posts.class, "named");
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Posts.class, "namedToo"))
			.withMessage("@RateLimited on Posts.namedToo() has the name 'writing', which Posts.named() has too")
			.asInstanceOf(type(InvalidRateLimitException.class))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("@RateLimited on Posts.namedToo()"))
			.satisfies((ex) -> assertThat(ex.action()).contains("@RateLimited(\"writing\") in both"));
	}

	@Test
	void givenNameCannotBeThatOfLimitsOfDifferentKeys() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Posts.class, "contradictory"))
			.withMessageContaining(
					"gives the name 'two' to limits of different keys, costs, conditions, charges or modes");
	}

	@Test
	void inheritedLimitOfAGivenNameIsOneBudgetOfAllThatInheritIt() {
		assertThatNoException().isThrownBy(() -> this.catalogue.find(Left.class, "inherited"));
		assertThat(this.catalogue.find(Left.class, "inherited").get(0).limiter())
			.isSameAs(this.catalogue.find(Right.class, "inherited").get(0).limiter());
	}

	@Test
	void inheritedLimitWithoutANameIsABudgetOfEachThatInheritsIt() {
		assertThat(this.catalogue.names(Left.class, "unnamed")).containsExactly("Left.unnamed");
		assertThat(this.catalogue.names(Right.class, "unnamed")).containsExactly("Right.unnamed");
	}

	private static String name(Catalogue catalogue, Method method) {
		return catalogue.find(Overloads.class, method).get(0).limiter().policy().name();
	}

	static class Posts {

		@RateLimited(limit = 1, window = "1s")
		public void post() {
		}

		@RateLimited(name = "writing", limit = 1, window = "1s")
		public void named() {
		}

		@RateLimited(name = "writing", limit = 1, window = "1s")
		public void namedToo() {
		}

		@RateLimited(limit = 1, window = "1s")
		@RateLimited(limit = 2, window = "1s", key = "'a'")
		@RateLimited(limit = 3, window = "1s", key = "'b'")
		public void twice() {
		}

		@RateLimited(name = "two", limit = 1, window = "1s")
		@RateLimited(name = "two", limit = 2, window = "1s", key = "'a'")
		public void contradictory() {
		}

	}

	@RateLimited(limit = 1, window = "1s")
	static class Shared {

		public void one() {
		}

	}

	static class Overloads {

		@RateLimited(limit = 1, window = "1s")
		public void send(String text) {
		}

		@RateLimited(limit = 1, window = "1s")
		public void send(int number) {
		}

		@RateLimited(limit = 1, window = "1s")
		public void receive(String text) {
		}

		public void receive() {
		}

	}

	abstract static class Base {

		@RateLimited(name = "both", limit = 1, window = "1s")
		public void inherited() {
		}

		@RateLimited(limit = 1, window = "1s")
		public void unnamed() {
		}

	}

	static class Left extends Base {

	}

	static class Right extends Base {

	}

	static class Elsewhere {

		static class Posts {

			@RateLimited(limit = 1, window = "1s")
			public void post() {
			}

		}

	}

}
