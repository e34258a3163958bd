package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Everything but Spring Boot itself is optional. In a class path from which a neighbour
 * is missing, so is whatever cannot do without it.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class FilteredClassPathTests {

	private static final String LIMITED = "allowed, allowed, rejected";

	private static final String UNLIMITED = "allowed, allowed, allowed";

	@Test
	void limitsInEveryWayWithAllNeighbours(CapturedOutput printed) {
		LimitedApplication.main(new String[0]);
		assertThat(printed).contains("by hand: " + LIMITED, "by annotation: " + LIMITED, "by rule: " + LIMITED);
	}

	/* Beside WebFlux, the resource server of Spring Security needs Reactor itself. */
	@ParameterizedTest(name = "without {0}")
	@CsvSource(delimiter = ';', textBlock = """
			Spring MVC       ; webmvc|graphql
			actuator         ; actuator
			Micrometer, health   ; ^micrometer-(core|jakarta9)|spring-boot-(micrometer|health)
			Redis            ; redis|lettuce|jedis
			our store in Redis   ; ratelimit-redis
			Reactor          ; ^react|lettuce|resource-server
			GraphQL, WebSocket   ; graphql|^context-propagation|^spring-(websocket|messaging)
			Jackson          ; jackson
			""")
	void limitsInEveryWay(String neighbour, String libraries) throws Exception {
		assertThat(FilteredClassPath.without(libraries).run(LimitedApplication.class)).contains("by hand: " + LIMITED,
				"by annotation: " + LIMITED, "by rule: " + LIMITED);
	}

	@ParameterizedTest(name = "without {0}")
	@CsvSource(delimiter = ';', textBlock = """
			servlet     ; tomcat|^jakarta.servlet
			Spring Web  ; tomcat|^spring-(web|security)|^spring-boot-(web|servlet|http|security|resttestclient)
			""")
	void limitsMethodsWithoutServer(String neighbour, String libraries) throws Exception {
		assertThat(FilteredClassPath.without(libraries).run(LimitedApplication.class)).contains("by hand: " + LIMITED,
				"by annotation: " + LIMITED, "by rule: no server");
	}

	@Test
	void keyThatIsNoTextNeedsNoSecurityAndFailedAuthenticationsDo() throws Exception {
		FilteredClassPath classPath = FilteredClassPath.without("security");
		assertThat(classPath.run(LimitedApplication.class, "--ratelimit.key=request.serverPort"))
			.contains("by hand: " + LIMITED, "by annotation: " + LIMITED, "by rule: " + LIMITED)
			.doesNotContain("failed");
		assertThat(classPath.run(LimitedApplication.class, "--ratelimit.policies.twice.charge=authenticationFailed"))
			.contains("reads 'authenticationFailed', but Spring Security is missing", "spring-boot-starter-security")
			.doesNotContain("by hand");
		assertThat(classPath.run(LimitedApplication.class, "--ratelimit.policies.twice.key=principal.name"))
			.containsOnlyOnce(
					"reads the user, but Spring Security is missing. Unless something else authenticates users")
			.contains("by rule: " + LIMITED);
	}

	@Test
	void claimNeedsTheTokensOfSpringSecurity() throws Exception {
		assertThat(FilteredClassPath.without("security-oauth2")
			.run(LimitedApplication.class, "--ratelimit.key=claim('sub')"))
			.contains(
					"The key expression 'claim('sub')' of the property ratelimit.key calls 'claim', but Spring "
							+ "Security's OAuth2 support is missing",
					"spring-boot-starter-security-oauth2-resource-server")
			.doesNotContain("by hand");
	}

	@Test
	void limitsMethodsOfAnApplicationThatHasWhatAWebApplicationNeedsAndIsNone(CapturedOutput printed) {
		LimitedApplication.main(new String[] { "--spring.main.web-application-type=none" });
		assertThat(printed).contains("by hand: " + LIMITED, "by annotation: " + LIMITED, "by rule: no server");
	}

	@Test
	void limitsMethodsWithNothingButSpringBootAndCaffeine() throws Exception {
		FilteredClassPath classPath = FilteredClassPath
			.of("^(spring-(core|beans|context|aop|expression|boot|boot-autoconfigure)-\\d|caffeine|commons-logging|"
					+ "ratelimit-(core|autoconfigure))");
		assertThat(classPath.run(LimitedApplication.class)).contains("by hand: " + LIMITED, "by annotation: " + LIMITED,
				"by rule: no server");
	}

	@Test
	void startsWithoutCaffeineIfThereIsAnotherStoreOrNothingIsLimited() throws Exception {
		FilteredClassPath classPath = FilteredClassPath.without("caffeine");
		assertThat(classPath.run(LimitedApplication.class, "--own-store=true")).contains("by hand: " + UNLIMITED,
				"by rule: " + UNLIMITED);
		assertThat(classPath.run(LimitedApplication.class, "--ratelimit.enabled=false"))
			.contains("by hand: " + UNLIMITED, "by annotation: " + UNLIMITED, "by rule: " + UNLIMITED);
	}

}
