package io.github.ratelimit.web;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LiteralPattern}: what it matches, the pattern itself matches too.
 */
class LiteralPatternTests {

	private static final List<String> PATHS = List.of("/", "/api", "/api/", "/api/a", "/api/a/b", "/api//a",
			"/api/../login", "/apis", "/login", "/login/", "//login", "/LOGIN", "");

	@ParameterizedTest
	@ValueSource(strings = { "/login", "/api", "/api/**", "/**", "/", "/api/", "/api/a" })
	void matchesNothingThatThePatternDoesNot(String text) {
		PathPattern pattern = PathPatternParser.defaultInstance.parse(text);
		LiteralPattern literal = LiteralPattern.of(pattern);
		assertThat(literal).isNotNull();
		assertThat(PATHS.stream().filter(literal::matches)).isNotEmpty()
			.allMatch((path) -> pattern.matches(PathContainer.parsePath(path)));
	}

	@Test
	void seesWhatIsAtThePathAndBelowIt() {
		LiteralPattern below = LiteralPattern.of(PathPatternParser.defaultInstance.parse("/api/**"));
		assertThat(below).isNotNull();
		assertThat(PATHS.stream().filter(below::matches)).containsExactly("/api", "/api/", "/api/a", "/api/a/b",
				"/api//a", "/api/../login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/api/*", "/{id}", "/api/{id}/**", "/a?", "/a%20b", "/{*rest}", "/{id:[a-z]+}", "/a;b" })
	void leavesEverythingElseToThePattern(String text) {
		assertThat(LiteralPattern.of(PathPatternParser.defaultInstance.parse(text))).isNull();
	}

}
