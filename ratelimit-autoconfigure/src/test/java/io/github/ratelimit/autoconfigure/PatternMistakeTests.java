package io.github.ratelimit.autoconfigure;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RuleValidation.PatternMistake}.
 */
class PatternMistakeTests {

	@ParameterizedTest
	@ValueSource(strings = { "/", "/**", "/api/**", "/api/", "/users/{id}", "/{id:[a-z]{2,3}}", "/{id:\\d+}/x",
			"/{a:x?y=z#;//}", "/files/*.pdf", "/v?/a", "/v?", "/{*rest}", "/**/last", "/a file", "/100%",
			"/.well-known/*", "/a..b", "/...", "/\u00e4/b", "/c:x", "/a:b/c" })
	void patternThatAPathMatchesIsNone(String path) {
		assertThat(RuleValidation.PatternMistake.find(path)).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			api/**               | does not begin with a slash
			http://a.example/b   | is a URL
			HTTPS://a?b          | is a URL
			/api?a=b             | contains a query
			/api/{id}?a={b}      | contains a query
			/api#top             | contains a fragment
			/a%20file            | is percent-encoded
			/%6Cogin             | is percent-encoded
			C:/api               | is a path in a file system
			/C:/api              | is a path in a file system
			C:\\api              | is a path in a file system
			\\api                | contains a backslash
			/api\\login          | contains a backslash
			/a/../login          | contains a dot segment
			/./login             | contains a dot segment
			/login/..            | contains a dot segment
			//login              | contains an empty segment
			/api//{id}           | contains an empty segment
			/login;jsessionid=*  | contains a matrix parameter
			'/api/** '           | begins or ends with a blank
			' /api/**'           | begins or ends with a blank
			/a\0b                | contains a control character
			""")
	void patternThatNoPathMatchesIsOne(String path, String reason) {
		assertThat(RuleValidation.PatternMistake.find(path)).isNotNull()
			.extracting(RuleValidation.PatternMistake::reason, as(InstanceOfAssertFactories.STRING))
			.startsWith(reason);
	}

}
