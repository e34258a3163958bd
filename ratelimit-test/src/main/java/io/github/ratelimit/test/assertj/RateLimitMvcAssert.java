package io.github.ratelimit.test.assertj;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.json.AbstractJsonContentAssert;
import org.springframework.test.json.JsonConverterDelegate;
import org.springframework.test.web.servlet.assertj.AbstractMockHttpServletResponseAssert;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.assertj.MvcTestResultAssert;

/**
 * Assertions about a response of {@code MockMvcTester}, beside Spring's own.
 *
 * @since 0.1.0
 */
public final class RateLimitMvcAssert extends AbstractMockHttpServletResponseAssert<RateLimitMvcAssert, MvcTestResult>
		implements ResponseAssertions<RateLimitMvcAssert> {

	private final MvcTestResultAssert spring;

	RateLimitMvcAssert(MvcTestResultAssert spring) {
		super((@Nullable JsonConverterDelegate) null, spring.actual(), RateLimitMvcAssert.class);
		this.spring = spring;
	}

	/*
	 * Only Spring's own knows how the application reads JSON.
	 */
	@Override
	public AbstractJsonContentAssert<?> bodyJson() {
		return this.spring.bodyJson();
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
