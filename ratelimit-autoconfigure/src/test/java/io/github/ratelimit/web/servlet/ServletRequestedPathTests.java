package io.github.ratelimit.web.servlet;

import jakarta.servlet.http.MappingMatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A path is taken literally only where nobody would read it otherwise.
 */
class ServletRequestedPathTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	@ParameterizedTest
	@ValueSource(strings = { "/", "/login", "/api/items/1", "/file.txt" })
	void whatCanBeReadInOneWayIsLiteral(String path) {
		assertThat(text(path)).isEqualTo(path);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "/api/../open", "/./api", "/api//items", "//api", "/api/.", "/api/..", "/%61pi", "/api;a=b" })
	void whatAContainerDecodesOrNormalisesIsNot(String path) {
		assertThat(text(path)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PATH", "EXTENSION", "EXACT" })
	void whatIsPartlyTheServletsIsNot(MappingMatch match) {
		this.request.setHttpServletMapping(new MockHttpServletMapping("login", "/api/*", "servlet", match));
		this.request.setRequestURI("/api/login");
		assertThat(new ServletRequestedPath(new ServletPaths(null), this.request).text()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/app/login", "/app" })
	void whatIsPartlyTheApplicationsIsNot(String path) {
		this.request.setContextPath("/app");
		assertThat(text(path)).isNull();
	}

	private String text(String path) {
		this.request.setHttpServletMapping(new MockHttpServletMapping("", "/", "servlet", MappingMatch.DEFAULT));
		this.request.setRequestURI(path);
		return new ServletRequestedPath(new ServletPaths(null), this.request).text();
	}

}
