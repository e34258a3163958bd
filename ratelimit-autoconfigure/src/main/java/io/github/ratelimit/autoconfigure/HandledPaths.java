package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;

import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;
import org.springframework.web.servlet.resource.ResourceResolver;

/**
 * The paths that Spring MVC's handlers, other servlets and the application's own filters
 * serve. Where that cannot be told, everything is served.
 */
final class HandledPaths {

	/* The server's own, and Spring MVC's, whose handlers are asked. */
	private static final Set<String> KNOWN = Set.of("default", "jsp", "dispatcherServlet");

	private static final List<String> PASSING_FILTERS = List.of("org.springframework.boot.", "org.springframework.web.",
			"org.springframework.security.", "org.springframework.session.", "io.github.ratelimit.web.servlet.",
			"org.apache.catalina.", "org.apache.tomcat.", "org.eclipse.jetty.");

	/* Beans behind a proxy that is Spring's, whatever they are themselves. */
	private static final Set<String> PASSING_BEANS = Set.of("springSecurityFilterChain",
			"springSessionRepositoryFilter", "sessionRepositoryFilter");

	private static final String FILTER_PROXY = "DelegatingFilterProxy";

	private static final String SPRING_RESOURCES = "org.springframework.web.servlet.resource.";

	private final List<Handled> paths = new ArrayList<>();

	private final List<ResourceHttpRequestHandler> resources = new ArrayList<>();

	void add(HandlerMapping mapping) {
		if (mapping instanceof AbstractHandlerMapping any && any.getDefaultHandler() != null) {
			addAll();
		}
		if (mapping instanceof RequestMappingInfoHandlerMapping methods) {
			for (RequestMappingInfo info : methods.getHandlerMethods().keySet()) {
				add(info);
			}
		}
		else if (mapping instanceof AbstractUrlHandlerMapping urls) {
			urls.getHandlerMap().forEach(this::add);
			if (urls.getRootHandler() != null) {
				this.paths.add(new Handled("/", List.of()));
			}
		}
		else if (!(mapping instanceof RouterFunctionMapping functions) || functions.getRouterFunction() != null) {
			addAll();
		}
	}

	private void add(RequestMappingInfo info) {
		List<String> methods = new ArrayList<>();
		for (RequestMethod method : info.getMethodsCondition().getMethods()) {
			methods.add(method.name());
		}
		for (String pattern : info.getPatternValues()) {
			this.paths.add(new Handled(pattern, methods));
		}
	}

	/**
	 * Adds what may serve any path.
	 */
	void addAll() {
		this.paths.add(new Handled("/**", List.of()));
	}

	private void add(String pattern, Object handler) {
		if (pattern.equals("/**") && handler instanceof ResourceHttpRequestHandler files
				&& files.getResourceResolvers().stream().allMatch(HandledPaths::isOfSpring)) {
			this.resources.add(files);
		}
		else {
			this.paths.add(new Handled(pattern, List.of()));
		}
	}

	/*
	 * Another may find a file for any path, such as the one page of a whole application.
	 */
	private static boolean isOfSpring(ResourceResolver resolver) {
		return resolver.getClass().getName().startsWith(SPRING_RESOURCES);
	}

	void add(ServletContext context) {
		for (FilterRegistration filter : context.getFilterRegistrations().values()) {
			if (!passesOn(filter)) {
				addAll(filter.getUrlPatternMappings());
				if (!filter.getServletNameMappings().isEmpty()) {
					addAll();
				}
			}
		}
		for (ServletRegistration servlet : context.getServletRegistrations().values()) {
			if (!KNOWN.contains(servlet.getName())) {
				addAll(servlet.getMappings());
			}
		}
	}

	private void addAll(Collection<String> ofServlets) {
		for (String pattern : ofServlets) {
			this.paths.add(new Handled(ofServlet(pattern), List.of()));
		}
	}

	/*
	 * A filter of the application may serve whatever it is mapped to.
	 */
	private static boolean passesOn(FilterRegistration filter) {
		String type = String.valueOf(filter.getClassName());
		for (String passing : PASSING_FILTERS) {
			if (type.startsWith(passing)) {
				return !type.contains(FILTER_PROXY) || PASSING_BEANS.contains(filter.getName());
			}
		}
		return false;
	}

	private static String ofServlet(String pattern) {
		return pattern.equals("/") || pattern.startsWith("*.") ? "/**" : pattern.replaceAll("/\\*$", "/**");
	}

	boolean contain(RateLimitProperties.Rule rule) {
		String path = String.valueOf(rule.path());
		for (Handled handled : this.paths) {
			if (PathOverlap.exists(path, handled.pattern()) && handled.isFor(rule.methods())) {
				return true;
			}
		}
		return this.resources.stream().anyMatch((files) -> isServed(path, files));
	}

	/*
	 * The files of an application are either there or not; what a pattern matches of them
	 * is not asked.
	 */
	private static boolean isServed(String path, ResourceHttpRequestHandler files) {
		String literal = path.replaceAll("[*?{].*", "").replaceAll("^/+", "");
		if (literal.isEmpty() || path.contains(".")) {
			return true;
		}
		return files.getLocations().stream().anyMatch((location) -> exists(location, literal));
	}

	private static boolean exists(Resource location, String path) {
		try {
			return location.createRelative(path).exists();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private record Handled(String pattern, List<String> methods) {

		boolean isFor(List<String> asked) {
			return this.methods.isEmpty() || asked.isEmpty() || asked.stream().anyMatch(this::serves);
		}

		private boolean serves(String method) {
			boolean read = method.equals(HttpMethod.HEAD.name()) && this.methods.contains(HttpMethod.GET.name());
			return read || method.equals(HttpMethod.OPTIONS.name()) || this.methods.contains(method);
		}

	}

}
