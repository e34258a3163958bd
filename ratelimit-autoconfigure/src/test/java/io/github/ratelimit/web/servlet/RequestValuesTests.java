package io.github.ratelimit.web.servlet;

import jakarta.servlet.http.Cookie;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What expressions read of a request.
 */
class RequestValuesTests {

	@Test
	void cookieIsTheFirstOfItsName() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		assertThat(RequestValues.cookie(request, "a")).isNull();
		request.setCookies(new Cookie("A", "0"), new Cookie("a", "1"), new Cookie("a", "2"));
		assertThat(RequestValues.cookie(request, "a")).isEqualTo("1");
		assertThat(RequestValues.cookie(request, "b")).isNull();
	}

}
