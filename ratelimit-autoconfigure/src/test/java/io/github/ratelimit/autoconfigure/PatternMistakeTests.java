package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RuleValidation.PatternMistake}: what some path matches is none.
 */
class PatternMistakeTests {

	@ParameterizedTest
	@ValueSource(strings = { "/", "/**", "/api/**", "/api/", "/users/{id}", "/{id:[a-z]{2,3}}", "/{id:\\d+}/x",
			"/{a:x?y=z#;//}", "/files/*.pdf", "/v?/a", "/v?", "/{*rest}", "/**/last", "/a file", "/100%",
			"/.well-known/*", "/a..b", "/...", "/\u00e4/b", "/c:x", "/a:b/c" })
	void patternThatAPathMatchesIsNone(String path) {
		assertThat(RuleValidation.PatternMistake.of(path)).isNull();
	}

	@Test
	void controlCharacterIsOne() {
		RuleValidation.PatternMistake mistake = RuleValidation.PatternMistake.of("/a\u0000b");
		assertThat(mistake).isNotNull();
		assertThat(mistake.reason()).isEqualTo("contains a control character");
	}

}
