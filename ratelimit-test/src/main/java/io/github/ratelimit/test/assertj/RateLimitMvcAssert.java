package io.github.ratelimit.test.assertj;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.json.JsonConverterDelegate;
import org.springframework.test.web.servlet.assertj.AbstractMockHttpServletResponseAssert;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/**
 * Assertions about a response of {@code MockMvcTester}, beside Spring's own.
 *
 * @since 0.1.0
 */
public final class RateLimitMvcAssert extends AbstractMockHttpServletResponseAssert<RateLimitMvcAssert, MvcTestResult>
		implements ResponseAssertions<RateLimitMvcAssert> {

	RateLimitMvcAssert(MvcTestResult result) {
		super((@Nullable JsonConverterDelegate) null, result, RateLimitMvcAssert.class);
	}

	@Override
	protected MockHttpServletResponse getResponse() {
		return this.actual.getResponse();
	}

	@Override
	public Answer answer() {
		MockHttpServletResponse response = getResponse();
		Map<String, List<String>> fields = response.getHeaderNames()
			.stream()
			.collect(Collectors.toMap((name) -> name, response::getHeaders));
		return new Answer(response.getStatus(), fields, response.getContentAsByteArray());
	}

}
