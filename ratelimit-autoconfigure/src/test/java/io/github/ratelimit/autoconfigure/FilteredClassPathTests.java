package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Everything but Spring Boot itself is optional.
 */
class FilteredClassPathTests {

	@ParameterizedTest(name = "without {0}")
	@CsvSource(delimiter = '|', textBlock = """
			nothing     | ^$
			servlet     | ^(tomcat-embed|jakarta.servlet)
			Spring MVC  | webmvc
			Spring Web  | ^(spring-web|spring-boot-web|spring-boot-servlet|spring-boot-tomcat|spring-boot-http)
			security    | security
			actuator    | actuator
			Micrometer  | micrometer
			Reactor     | ^reactor
			""")
	void startsAndLimits(String neighbour, String libraries) throws Exception {
		assertThat(FilteredClassPath.without(libraries).run(LimitedApplication.class))
			.contains("caffeine: allowed, allowed, rejected");
	}

	@Test
	void startsAndLimitsWithNothingButSpringBootAndCaffeine() throws Exception {
		FilteredClassPath classPath = FilteredClassPath
			.of("^(spring-(core|beans|context|aop|expression|boot|boot-autoconfigure)-\\d|caffeine|jspecify|commons-logging)");
		assertThat(classPath.run(LimitedApplication.class)).contains("caffeine: allowed, allowed, rejected");
	}

	@Test
	void startsWithoutCaffeineIfThereIsAnotherStore() throws Exception {
		assertThat(FilteredClassPath.without("caffeine").run(LimitedApplication.class, "--own-store=true"))
			.contains("its own: allowed, allowed, allowed");
	}

	@Test
	void doesNotStartWithoutAnyStore() throws Exception {
		assertThat(FilteredClassPath.without("caffeine").run(LimitedApplication.class))
			.contains("There is no store for rate limits: Caffeine is not on the class path");
	}

	@Test
	void limitsNothingWithoutCaffeineIfItIsTurnedOff() throws Exception {
		assertThat(FilteredClassPath.without("caffeine").run(LimitedApplication.class, "--ratelimit.enabled=false"))
			.contains("no rate limits");
	}

}
