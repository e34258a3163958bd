package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules are found whose path nothing serves, and none whose path something may serve.
 */
class RulesWithoutHandlerTests {

	@Test
	void rulesOfPathsThatAreServedGiveNone() {
		assertThat(FindingCodes.of(FindingCodes.rules("/**", "/owners/**", "/owners/*/pets", "/OWNERS/new",
				"/own*/{*rest}", "/styles.css", "/", "/error", "/outside/it", "/actuator/health")))
			.isEmpty();
	}

	@Test
	void rulesThatMatchNoHandlerAreFound() {
		assertThat(FindingCodes.of(FindingCodes.rules("/onwers/{id}", "/owners", "/owners/1/pets/2", "/login")))
			.containsExactly("RL001 login", "RL001 login", "RL001 login", "RL001 login");
	}

	@Test
	void ruleWhoseMethodIsNoHandlersIsFound() {
		assertThat(FindingCodes.of(FindingCodes.OWNERS, "ratelimit.rules[0].methods=DELETE"))
			.containsExactly("RL001 login");
	}

	@Test
	void pathsThatSpringSecurityAnswersAreServed() {
		assertThat(FindingCodes.of("spring.autoconfigure.exclude=", "ratelimit.rules[0].path=/login",
				"ratelimit.rules[0].methods=POST"))
			.isEmpty();
	}

	@Test
	void pathThatOnlyBeginsAsOneOfSpringSecurityIsFound() {
		assertThat(
				FindingCodes.of("spring.autoconfigure.exclude=", "test.security=true", "ratelimit.rules[0].path=/ent"))
			.containsExactly("RL001 login");
	}

	@Test
	void patternThatMatchesAPathOfSpringSecurityIsServed() {
		assertThat(FindingCodes.of("spring.autoconfigure.exclude=", "test.security=true",
				"ratelimit.rules[0].path=/{form}er"))
			.isEmpty();
	}

	@Test
	void pathsThatFormsOfSpringSecurityAreSentToAreServed() {
		assertThat(FindingCodes.of("spring.autoconfigure.exclude=", "test.security=true",
				"ratelimit.rules[0].path=/enter", "ratelimit.rules[0].methods=POST", "ratelimit.rules[1].path=/leave",
				"ratelimit.rules[1].policy=login"))
			.isEmpty();
	}

	@Test
	void ruleThatMatchesNoHandlerBehindSpringSecurityIsFound() {
		assertThat(FindingCodes.of("spring.autoconfigure.exclude=", "test.security=true",
				"ratelimit.rules[0].path=/entre"))
			.containsExactly("RL001 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "test.proxy=/*", "test.proxy=/shop/*", "test.servlet=/shop/*", "test.router=true",
			"test.fallback=true", "test.default-handler=true", "test.proxy-bean=true" })
	void pathsThatMayBeServedInAnotherWayGiveNone(String property) {
		assertThat(FindingCodes.of("ratelimit.rules[0].path=/shop/orders", property)).isEmpty();
	}

	@Test
	void pathsThatAFilterIsNotMappedToAreFound() {
		assertThat(FindingCodes.of("ratelimit.rules[0].path=/shop/orders", "test.proxy=/stock/*"))
			.containsExactly("RL001 login");
	}

	/**
	 * A test without a server, which may have only a part of the application.
	 */
	@Nested
	@SpringBootTest(classes = PetClinic.class,
			properties = { FindingCodes.WITHOUT_SECURITY, "ratelimit.policies.login.limit=5",
					"ratelimit.policies.login.window=1m", "ratelimit.rules[0].path=/console",
					"ratelimit.rules[0].policy=login" })
	class WithoutServerTests {

		@Test
		void rulesOfWhatIsNotThereGiveNone(@Autowired ConfigurableApplicationContext context) {
			assertThat(FindingCodes.of(context)).isEmpty();
		}

	}

}
