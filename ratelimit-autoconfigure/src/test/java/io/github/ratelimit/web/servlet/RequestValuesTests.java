package io.github.ratelimit.web.servlet;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What expressions read of a request: no part of a body that the handler parses.
 */
class RequestValuesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "null", textBlock = """
			user=ann              | ann
			a=b&user=ann&user=bob | ann
			user=                 | ''
			user                  | ''
			user=a=b              | a=b
			us%65r=%C3%84nn+B     | Änn B
			%75ser=%26            | &
			&&user=ann&           | ann
			users=ann             | null
			USER=ann              | null
			=ann                  | null
			null                  | null
			''                    | null
			""")
	void parameterOfAMultipartRequestIsThatOfItsQuery(@Nullable String query, @Nullable String value) {
		for (String type : new String[] { "multipart/form-data; boundary=x", " Multipart/Mixed", "MULTIPART/" }) {
			assertThat(RequestValues.parameter(multipart(type, query), "user")).isEqualTo(value);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "user=%zz", "user=%", "%e=1&user=ann" })
	void queryThatCannotBeReadIsAFailure(String query) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RequestValues.parameter(multipart("multipart/form-data", query), "user"));
	}

	@Test
	void parameterOfAnyOtherRequestIsThatOfTheServer() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.addParameter("user", "ann", "bob");
		assertThat(RequestValues.parameter(request, "user")).isEqualTo("ann");
		request.setContentType("application/x-www-form-urlencoded");
		assertThat(RequestValues.parameter(request, "user")).isEqualTo("ann");
		assertThat(RequestValues.parameter(request, "none")).isNull();
	}

	@Test
	void cookieIsTheFirstOfItsName() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		assertThat(RequestValues.cookie(request, "a")).isNull();
		request.setCookies(new Cookie("A", "0"), new Cookie("a", "1"), new Cookie("a", "2"));
		assertThat(RequestValues.cookie(request, "a")).isEqualTo("1");
		assertThat(RequestValues.cookie(request, "b")).isNull();
	}

	private static HttpServletRequest multipart(String type, @Nullable String query) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setContentType(type);
		request.setQueryString(query);
		return new HttpServletRequestWrapper(request) {

			@Override
			public String getParameter(String name) {
				throw new AssertionError("The server would parse the parts");
			}

		};
	}

}
