package io.github.ratelimit.web.servlet;

import java.util.function.Function;

import io.github.ratelimit.RateLimitInfo;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Gives handlers of Spring MVC what was decided on their request.
 *
 * @param info tells it of a request
 */
record RateLimitInfoArgumentResolver(
		Function<HttpServletRequest, RateLimitInfo> info) implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.getParameterType() == RateLimitInfo.class;
	}

	@Override
	public RateLimitInfo resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
			NativeWebRequest request, @Nullable WebDataBinderFactory binders) {
		return this.info.apply((HttpServletRequest) request.getNativeRequest());
	}

}
