package io.github.ratelimit.annotation;

import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.PermitRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Policies from {@code application.yml}: annotations name them, or are overridden by
 * them.
 */
class ConfiguredPolicyTests {

	private static final RateLimit CONFIGURED = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 77,
			Duration.ofHours(1));

	private final Catalogue catalogue = new Catalogue();

	@Test
	void annotationNamesAPolicy() {
		this.catalogue.configured("login", null, CONFIGURED);
		assertThat(this.catalogue.policy(Service.class, "login").limits()).containsExactly(CONFIGURED);
		assertThat(this.catalogue.policy(Service.class, "loginToo").name()).isEqualTo("login");
	}

	@Test
	void methodsThatNameOnePolicyShareItsBudget() {
		this.catalogue.configured("login", null, CONFIGURED);
		assertThat(this.catalogue.find(Service.class, "login").get(0).limiter())
			.isSameAs(this.catalogue.find(Service.class, "loginToo").get(0).limiter());
	}

	@Test
	void policyOfTheAnnotationsDefaultNameOverridesItsNumbers() {
		this.catalogue.configured("Service.search", null, CONFIGURED);
		assertThat(this.catalogue.policy(Service.class, "search").limits()).containsExactly(CONFIGURED);
		assertThat(key("search")).as("the annotation's key").isEqualTo("annotated");
	}

	@Test
	void policyOfTheAnnotationsGivenNameOverridesItsNumbersAndItsKey() {
		this.catalogue.configured("given", "'configured'", CONFIGURED);
		assertThat(this.catalogue.policy(Service.class, "named").limits()).containsExactly(CONFIGURED);
		assertThat(key("named")).isEqualTo("configured");
	}

	@Test
	void keyOfAnAnnotationThatNamesAPolicyReplacesThePolicysThere() {
		this.catalogue.configured("login", "'configured'", CONFIGURED);
		assertThat(key("login")).isEqualTo("configured");
		assertThat(key("loginToo")).isEqualTo("annotated");
	}

	@Test
	void overriddenNumbersMustStillBePossible() {
		this.catalogue.configured("Service.impossible", null, CONFIGURED);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Service.class, "impossible"))
			.withMessageContaining("limit = 0 is out of range");
	}

	@Test
	void unknownPolicyIsAMistakeThatTellsTheNearest() {
		this.catalogue.configured("logins", null, CONFIGURED);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Service.class, "login"))
			.withMessage("@RateLimited on Service.login() names the policy 'login', which does not exist")
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.isEqualTo("Did you mean 'logins'? Add ratelimit.policies.login to application.yml, or give a limit and "
					+ "a window here.");
	}

	@Test
	void policyOfAnotherAnnotationCannotBeNamedWhicheverIsReadFirst() {
		this.catalogue.find(Service.class, "search");
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Service.class, "borrows"))
			.withMessageContaining("names the policy 'Service.search', which does not exist")
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.asString()
			.doesNotContain("Did you mean");
	}

	@ParameterizedTest
	@ValueSource(strings = { "limited", "windowed", "burst", "nodelay", "algorithm", "nameToo", "zone", "from" })
	void annotationThatNamesAPolicyHasNoNumbersOfItsOwn(String method) {
		this.catalogue.configured("login", null, CONFIGURED);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Contradictory.class, method))
			.withMessageContaining("names the policy 'login' and has a name, an algorithm or numbers of its own");
	}

	private String key(String method) {
		PermitRequest request = this.catalogue.find(Service.class, method).get(0).resolve(RateLimitContext.of(null));
		assertThat(request).isNotNull();
		return request.key();
	}

	static class Service {

		@RateLimited("login")
		public void login() {
		}

		@RateLimited(policy = "login", key = "'annotated'")
		public void loginToo() {
		}

		@RateLimited(limit = 1, window = "1s", key = "'annotated'")
		public void search() {
		}

		@RateLimited(name = "given", limit = 1, window = "1s", key = "'annotated'")
		public void named() {
		}

		@RateLimited(limit = 0, window = "1s")
		public void impossible() {
		}

		@RateLimited("Service.search")
		public void borrows() {
		}

	}

	static class Contradictory {

		@RateLimited(policy = "login", limit = 1)
		public void limited() {
		}

		@RateLimited(policy = "login", window = "1s")
		public void windowed() {
		}

		@RateLimited(policy = "login", zone = "UTC")
		public void zone() {
		}

		@RateLimited(policy = "login", from = "1")
		public void from() {
		}

		@RateLimited(policy = "login", burst = 1)
		public void burst() {
		}

		@RateLimited(policy = "login", nodelay = true)
		public void nodelay() {
		}

		@RateLimited(policy = "login", algorithm = RateLimitAlgorithm.LEAKY_BUCKET)
		public void algorithm() {
		}

		@RateLimited(policy = "login", name = "other")
		public void nameToo() {
		}

	}

}
