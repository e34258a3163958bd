package io.github.ratelimit.web.servlet;

import java.util.List;

import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.server.PathContainer;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.ServletRequestPathUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * A path is taken literally only where nobody would read it otherwise.
 */
class ServletRequestedPathTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest(new MockServletContext() {

		@Override
		public @Nullable ServletRegistration getServletRegistration(String name) {
			ServletRegistration registration = mock();
			given(registration.getClassName()).willReturn(DispatcherServlet.class.getName());
			return name.equals("dispatcher") ? registration : null;
		}

	});

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

	@Test
	void whatCanBeReadInOneWayHasNoOtherReadings() {
		assertThat(path("/api/items/1").readings()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			//a/b                 | /a/b
			/./a/%2e/b            | /a/b
			/x/../a/b             | /a/b
			/;x/a;y/b             | /a/b
			/a%5Cb                | /a/b
			/a%2Fb                | /a/b
			/a%252Fb              | /a/b
			/%20/a/b              | /a/b
			/a/b/                 | /a/b
			/a/b/x;y/..           | /a/b
			/a/b/x%2Fy/..         | /a/b
			/a/b%2Fx/..           | /a/b
			/a/b/;/..             | /a/b
			/../../a/b            | /a/b
			/%61/%62              | /a/b
			/%2561/%62            | /a/b
			/a/b%3Bc              | /a/b;c
			/100%25/b             | /100%/b
			/                     | /
			/;x                   | /
			""")
	void whatAnythingWouldServeForItIsAmongTheReadings(String sent, String reading) {
		assertThat(path(sent).readings()).extracting(PathContainer::value).contains(reading);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "/%252525252561", "/.", "/a/..", "/;", "/%25", "/%252e%252e%252f;x%2F/", "/x/%2e%2e", "/\\a" })
	void readingsAreFewAndShort(String repeated) {
		String sent = repeated.repeat(8000 / repeated.length());
		List<PathContainer> readings = path(sent).readings();
		assertThat(readings).isNotEmpty().hasSizeLessThanOrEqualTo(21);
		assertThat(readings).allMatch((reading) -> reading.value().length() <= sent.length() + 1);
	}

	@Test
	void thePathOfAForwardIsItsTargets() {
		this.request.setRequestURI("/original");
		ServletRequestPathUtils.parseAndCache(this.request);
		this.request.setDispatcherType(DispatcherType.FORWARD);
		this.request.setServletPath("/target");
		RequestedPath path = path("/target");
		assertThat(path.text()).isEqualTo("/target");
		assertThat(path.parsed()).hasToString("/target");
	}

	private RequestedPath path(String sent) {
		this.request.setHttpServletMapping(new MockHttpServletMapping("", "/", "dispatcher", MappingMatch.DEFAULT));
		this.request.setRequestURI(sent);
		return new ServletRequestedPath(new ServletPaths(DispatcherServlet.class), this.request);
	}

	private String text(String path) {
		this.request.setHttpServletMapping(new MockHttpServletMapping("", "/", "servlet", MappingMatch.DEFAULT));
		this.request.setRequestURI(path);
		return new ServletRequestedPath(new ServletPaths(null), this.request).text();
	}

}
