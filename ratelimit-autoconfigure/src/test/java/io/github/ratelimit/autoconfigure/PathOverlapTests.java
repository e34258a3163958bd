package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Patterns that could match the same path overlap.
 */
class PathOverlapTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "/login|/login", "/login|/LOGIN", "/login|/login/", "/**|/", "/**|/a/b", "/a/**|/a",
					"/a/{*rest}|/a/b/c", "/a/{id}|/a/7", "/a/{id:[^/]+}/x|/a/7/x", "/**/x|/a/b/x", "/a/*.pdf|/a/{f}",
					"/a/**/z|/{one}/b/**", "/lo?in|/login" })
	void patternsThatMayMatchTheSamePathOverlap(String one, String other) {
		assertThat(PathOverlap.exists(one, other)).isTrue();
		assertThat(PathOverlap.exists(other, one)).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "/login|/lgoin", "/a|/a/b", "/a/{id}|/a", "/a/{id}|/a/7/x", "/a/**|/b/**",
			"/**/x|/a/{id}/y", "/|/a", "/a/{id:[^/]+}|/a/7/x" })
	void patternsThatNoPathMatchesBothDoNot(String one, String other) {
		assertThat(PathOverlap.exists(one, other)).isFalse();
		assertThat(PathOverlap.exists(other, one)).isFalse();
	}

}
