package io.github.ratelimit.web.servlet;

import java.util.List;

import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RequestedPath;
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
import org.springframework.web.util.pattern.PathPatternParser;

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

	@Test
	void aPathThatIsTheApplicationsOwnIsMatchedAsItStands() {
		assertThat(isMatchedAsItStands("/api/login", MappingMatch.DEFAULT)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PATH", "EXTENSION", "EXACT" })
	void whatIsPartlyTheServletsIsNot(MappingMatch match) {
		assertThat(isMatchedAsItStands("/api/login", match)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/app/login", "/app" })
	void whatIsPartlyTheApplicationsIsNot(String path) {
		this.request.setContextPath("/app");
		assertThat(isMatchedAsItStands(path, MappingMatch.DEFAULT)).isFalse();
	}

	@Test
	void whatCanBeReadInOneWayHasNoOtherReadings() {
		assertThat(path("/api/items/1").readings()).hasSize(1);
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
		assertThat(readings).isNotEmpty().hasSizeLessThanOrEqualTo(22);
		assertThat(readings).allMatch((reading) -> reading.value().length() <= sent.length() + 1);
	}

	@Test
	void thePathOfAForwardIsItsTargets() {
		this.request.setRequestURI("/original");
		ServletRequestPathUtils.parseAndCache(this.request);
		this.request.setDispatcherType(DispatcherType.FORWARD);
		this.request.setServletPath("/target");
		RequestedPath path = path("/target");
		assertThat(matches("/target", path)).isTrue();
		assertThat(path.readings().get(0)).hasToString("/target");
	}

	private RequestedPath path(String sent) {
		this.request.setHttpServletMapping(new MockHttpServletMapping("", "/", "dispatcher", MappingMatch.DEFAULT));
		this.request.setRequestURI(sent);
		return new ServletPath(new MvcServlets(), this.request, null);
	}

	/* The mock has no other path that a rule could match. */
	private boolean isMatchedAsItStands(String path, MappingMatch match) {
		this.request.setHttpServletMapping(new MockHttpServletMapping("login", "/", "servlet", match));
		this.request.setRequestURI(path);
		return matches(path, new ServletPath(new MvcServlets(), this.request, null));
	}

	private static boolean matches(String pattern, RequestedPath path) {
		return new RateLimitRule(PathPatternParser.defaultInstance.parse(pattern), List.of(), List.of(),
				mock(PolicyBinding.class), false)
			.matches(path);
	}

}
