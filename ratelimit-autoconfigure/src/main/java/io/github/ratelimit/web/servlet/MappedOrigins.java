package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.http.server.RequestPath;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Knows what Spring MVC would allow other origins for a request, once its handler is
 * found: the global configuration, and {@code @CrossOrigin}.
 */
final class MappedOrigins implements CorsConfigurationSource {

	private final ApplicationContext context;

	/* The mappings by their context: the application's, or that of its actuator. */
	private final Map<ApplicationContext, List<HandlerMapping>> mappings = new ConcurrentHashMap<>();

	MappedOrigins(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public @Nullable CorsConfiguration getCorsConfiguration(HttpServletRequest request) {
		RequestPath previous = (RequestPath) request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
		ServletRequestPathUtils.parseAndCache(request);
		try {
			return find(request);
		}
		catch (Exception ex) {
			// no handler for such a request, so that nobody would have allowed anything
			return null;
		}
		finally {
			ServletRequestPathUtils.setParsedRequestPath(previous, request);
		}
	}

	private @Nullable CorsConfiguration find(HttpServletRequest request) throws Exception {
		for (HandlerMapping mapping : mappings(request.getServletContext())) {
			HandlerExecutionChain chain = mapping.getHandler(request);
			if (chain == null) {
				continue;
			}
			for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
				if (interceptor instanceof CorsConfigurationSource source) {
					return source.getCorsConfiguration(request);
				}
			}
			return null;
		}
		return null;
	}

	/*
	 * The actuator's own port is served by a context below the application's.
	 */
	private List<HandlerMapping> mappings(ServletContext server) {
		ApplicationContext serving = this.context;
		WebApplicationContext candidate = WebApplicationContextUtils.getWebApplicationContext(server);
		if (candidate != null && candidate.getParent() == this.context) {
			serving = candidate;
		}
		return this.mappings.computeIfAbsent(serving,
				(context) -> context.getBeanProvider(HandlerMapping.class).orderedStream().toList());
	}

}
