package io.github.ratelimit.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.Test;

import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where annotations may stand, how often, and within which others.
 */
class AnnotationPlacesTests {

	private final Catalogue catalogue = new Catalogue();

	@Test
	void repeatedLimitsOfOneKeyAreOnePolicy() {
		assertThat(this.catalogue.policies(Repeated.class, "sameKey")).singleElement()
			.satisfies((policy) -> assertThat(policy.limits()).extracting(RateLimit::limit).containsExactly(1L, 150L));
	}

	@Test
	void repeatedLimitsOfDifferentKeysCostsOrConditionsAreSeveralPolicies() {
		assertThat(this.catalogue.policies(Repeated.class, "different")).extracting((policy) -> policy.limits().size())
			.containsExactly(1, 1, 1);
	}

	@Test
	void methodsOwnAnnotationReplacesTheTypes() {
		assertThat(this.catalogue.policies(Typed.class, "own")).singleElement()
			.satisfies((policy) -> assertThat(policy.limits()).extracting(RateLimit::limit).containsExactly(9L));
	}

	@Test
	void typeThatExtendsAnAnnotatedTypeHasABudgetOfItsOwn() {
		assertThat(this.catalogue.names(Extending.class, "one")).containsExactly("Extending");
		assertThat(this.catalogue.names(Extending.class, "more")).containsExactly("Extending");
		assertThat(this.catalogue.names(Typed.class, "one")).containsExactly("Typed");
	}

	@Test
	void annotationsOfAnInterfaceHoldForItsImplementations() {
		assertThat(this.catalogue.policy(Implementation.class, "ofMethod").limits()).extracting(RateLimit::limit)
			.containsExactly(3L);
		assertThat(this.catalogue.policy(Implementation.class, "ofType").limits()).extracting(RateLimit::limit)
			.containsExactly(4L);
	}

	@Test
	void nearestAnnotationReplacesInheritedOnes() {
		assertThat(this.catalogue.policies(Implementation.class, "replaced")).singleElement()
			.satisfies((policy) -> assertThat(policy.limits()).extracting(RateLimit::limit).containsExactly(6L));
	}

	@Test
	void composedAnnotationPassesItsAttributesOn() {
		RateLimit limit = this.catalogue.policy(Composed.class, "composed").limits().get(0);
		assertThat(limit.algorithm()).isEqualTo(RateLimitAlgorithm.SLIDING_WINDOW_LOG);
		assertThat(limit.limit()).isEqualTo(12);
		assertThat(limit.window()).isEqualTo(Duration.ofHours(2));
	}

	@Test
	void composedAnnotationOnATypeIsOneBudgetOfTheType() {
		assertThat(this.catalogue.names(ComposedType.class, "one")).containsExactly("ComposedType");
		assertThat(this.catalogue.names(ComposedType.class, "two")).containsExactly("ComposedType");
	}

	@Test
	void composedAnnotationMayCarrySeveralLimits() {
		assertThat(this.catalogue.policy(Composed.class, "several").limits()).extracting(RateLimit::limit)
			.containsExactly(1L, 10L);
	}

	@Test
	void composedAnnotationMayStandBesideAnother() {
		assertThat(this.catalogue.policy(Composed.class, "both").limits()).extracting(RateLimit::limit)
			.containsExactlyInAnyOrder(12L, 99L);
	}

	static class Repeated {

		@RateLimited(limit = 1, window = "1s", key = "principal.name")
		@RateLimited(limit = 150, window = "1d", key = "principal.name")
		public void sameKey() {
		}

		@RateLimited(limit = 1, window = "1s")
		@RateLimited(limit = 2, window = "1s", cost = "2")
		@RateLimited(limit = 3, window = "1s", condition = "principal == null")
		public void different() {
		}

	}

	@RateLimited(limit = 5, window = "1s")
	static class Typed {

		public void one() {
		}

		@RateLimited(limit = 9, window = "1s")
		public void own() {
		}

	}

	static class Extending extends Typed {

		public void more() {
		}

	}

	@RateLimited(limit = 4, window = "1s")
	interface Contract {

		@RateLimited(limit = 3, window = "1s")
		void ofMethod();

		void ofType();

		@RateLimited(limit = 5, window = "1s")
		void replaced();

	}

	static class Implementation implements Contract {

		@Override
		public void ofMethod() {
		}

		@Override
		public void ofType() {
		}

		@Override
		@RateLimited(limit = 6, window = "1s")
		public void replaced() {
		}

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(algorithm = RateLimitAlgorithm.SLIDING_WINDOW_LOG, window = "2h")
	@interface PerTwoHours {

		@AliasFor(annotation = RateLimited.class, attribute = "limit")
		long value();

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(limit = 1, window = "1s")
	@RateLimited(limit = 10, window = "1m")
	@interface Careful {

	}

	static class Composed {

		@PerTwoHours(12)
		public void composed() {
		}

		@Careful
		public void several() {
		}

		@PerTwoHours(12)
		@RateLimited(limit = 99, window = "1d")
		public void both() {
		}

	}

	@PerTwoHours(12)
	static class ComposedType {

		public void one() {
		}

		public void two() {
		}

	}

}
