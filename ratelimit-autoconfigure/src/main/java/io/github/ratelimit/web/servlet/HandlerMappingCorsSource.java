package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.RequestPath;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * What Spring MVC would allow other origins for a request, once its handler is found: the
 * global configuration, and {@code @CrossOrigin}.
 */
final class HandlerMappingCorsSource implements CorsConfigurationSource {

	private final Supplier<List<HandlerMapping>> mappings;

	/**
	 * Creates the source.
	 * @param mappings gives the application's handler mappings, in order, when they are
	 * first needed
	 */
	HandlerMappingCorsSource(Supplier<List<HandlerMapping>> mappings) {
		this.mappings = SingletonSupplier.of(mappings);
	}

	@Override
	public @Nullable CorsConfiguration getCorsConfiguration(HttpServletRequest request) {
		RequestPath previous = (RequestPath) request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
		ServletRequestPathUtils.parseAndCache(request);
		try {
			for (HandlerMapping mapping : this.mappings.get()) {
				HandlerExecutionChain chain = mapping.getHandler(request);
				if (chain != null) {
					return configuration(chain, request);
				}
			}
			return null;
		}
		catch (Exception ex) {
			// no handler for such a request, so that nobody would have allowed anything
			return null;
		}
		finally {
			ServletRequestPathUtils.setParsedRequestPath(previous, request);
		}
	}

	private static @Nullable CorsConfiguration configuration(HandlerExecutionChain chain, HttpServletRequest request) {
		for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
			if (interceptor instanceof CorsConfigurationSource source) {
				return source.getCorsConfiguration(request);
			}
		}
		return null;
	}

}
