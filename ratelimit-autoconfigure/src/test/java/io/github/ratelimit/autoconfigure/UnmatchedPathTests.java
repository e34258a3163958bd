package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RuleCompiler#unmatched}.
 */
class UnmatchedPathTests {

	@ParameterizedTest
	@ValueSource(strings = { "/", "/**", "/api/**", "/api/", "/users/{id}", "/{id:[a-z]{2,3}}", "/{id:\\d+}/x",
			"/{a:x?y=z#;//}", "/files/*.pdf", "/v?/a", "/v?", "/{*rest}", "/**/last", "/a file", "/100%",
			"/.well-known/*", "/a..b", "/...", "/\u00e4/b", "/c:x", "/a:b/c" })
	void patternThatAPathMatchesIsNone(String path) {
		assertThat(RuleCompiler.unmatched(path)).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			/api?a=b             | ?a=
			/api/{id}?a={b}      | ?a=
			/api#top             | #
			/a%20file            | %20
			/%6Cogin             | %6C
			/C:/api              | /C:/
			/api\\login        | \\
			/a/../login          | /..
			/./login             | /.
			/login/..            | /..
			//login              | //
			/api//{id}           | //
			/login;jsessionid=*  | ;
			`/api/** `           | ` `
			/a\tb               | `\t`
			""")
	void patternThatNoPathMatchesIsOne(String path, String unmatched) {
		assertThat(RuleCompiler.unmatched(path)).isEqualTo(unmatched);
	}

}
