package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.SentForm;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.util.WebUtils;

/**
 * A servlet request as expressions see it, whatever matched its path.
 * <p>
 * The attributes of Spring MVC's {@code HandlerMapping} are read by name, because bean
 * methods are also called where there is no Spring MVC.
 */
interface ServletRequestView extends RequestView {

	/* The server reads the forms of POST, and Spring's filter those of the others. */
	Set<String> WITH_FORMS = Set.of("POST", "PUT", "PATCH", "DELETE");

	/** The attribute that has the pattern of the handler. */
	String PATTERN = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

	/** The attribute that has the variables of the pattern. */
	String VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

	@Override
	HttpServletRequest request();

	@Override
	default String path() {
		HttpServletRequest request = request();
		return path(request.getAttribute(PATTERN), request);
	}

	static String path(@Nullable Object pattern, HttpServletRequest request) {
		if (pattern == null) {
			return request.getServletPath();
		}
		return pattern.toString();
	}

	@Override
	default @Nullable String pathVariable(String name) {
		return pathVariable(request().getAttribute(VARIABLES), name);
	}

	static @Nullable String pathVariable(@Nullable Object variables, String name) {
		if (variables instanceof Map<?, ?> map && map.get(name) instanceof String value) {
			return value;
		}
		return null;
	}

	@Override
	default @Nullable String header(String name) {
		return request().getHeader(name);
	}

	@Override
	default List<String> parameters(String name) {
		HttpServletRequest request = request();
		try {
			return sentParameters(name, request);
		}
		catch (IllegalStateException ex) {
			if (form(request) != SentForm.URLENCODED) {
				throw ex;
			}
			// Tomcat fails everybody who asks for a form that is too large.
			return List.of();
		}
	}

	/*
	 * A filter may replace a parameter in getParameter alone.
	 */
	private static List<String> sentParameters(String name, HttpServletRequest request) {
		String first = firstParameter(name, request);
		if (mayHideForm(name, request)) {
			return List.of();
		}

		Map<String, List<String>> found = Map.of();
		if (first != null) {
			found = Map.of(name, List.of(first));
		}
		Map<String, List<String>> sent = new LinkedHashMap<>();
		request.getParameterMap().forEach((each, values) -> sent.put(each, Arrays.asList(values)));
		return SentForm.values(name, found, sent);
	}

	/*
	 * A server may fail only the first who asks for a form that it cannot parse. Whoever
	 * logs somebody in then gets what came before the mistake, and so must a key.
	 */
	private static @Nullable String firstParameter(String name, HttpServletRequest request) {
		try {
			return request.getParameter(name);
		}
		catch (RuntimeException ex) {
			return request.getParameter(name);
		}
	}

	/*
	 * The target of a gateway may find a form where the server has read none.
	 */
	private static boolean mayHideForm(String name, HttpServletRequest request) {
		return switch (form(request)) {
			case NONE -> false;
			case URLENCODED -> SentForm.mayHaveBody(fields(request), isAnnounced(request)) && !hasReadForm(request);
			case MULTIPART -> !hasFields(name, request);
			case UNCLEAR -> true;
		};
	}

	private static SentForm form(HttpServletRequest request) {
		boolean sends = WITH_FORMS.contains(request.getMethod());
		return SentForm.of(fields(request), isAnnounced(request) || !sends);
	}

	private static Function<String, List<String>> fields(HttpServletRequest request) {
		return (field) -> Collections.list(request.getHeaders(field));
	}

	/* Whether a field tells of each body. */
	private static boolean isAnnounced(HttpServletRequest request) {
		return request.getProtocol().startsWith("HTTP/1");
	}

	/*
	 * Nothing of the form is among the parameters if Spring's filter is turned off, if
	 * another filter has read the body, or if the server cannot parse the query or finds
	 * the form too large.
	 */
	private static boolean hasReadForm(HttpServletRequest request) {
		if (!WITH_FORMS.contains(request.getMethod())) {
			return false;
		}
		long values = request.getParameterMap().values().stream().mapToInt((each) -> each.length).sum();
		return values > pairsOfQueries(request);
	}

	/*
	 * The parameters of a dispatch's own query are added to those of the request's. One
	 * without a query of its own has that of the request, which counts once.
	 */
	private static long pairsOfQueries(HttpServletRequest request) {
		Set<@Nullable Object> queries = new HashSet<>();
		queries.add(request.getQueryString());
		queries.add(request.getAttribute(RequestDispatcher.FORWARD_QUERY_STRING));
		queries.add(request.getAttribute(RequestDispatcher.INCLUDE_QUERY_STRING));
		queries.add(request.getAttribute(AsyncContext.ASYNC_QUERY_STRING));
		return queries.stream().mapToLong((query) -> SentForm.pairs((String) query)).sum();
	}

	/*
	 * Who reads the parts may take one for the parameter that the server takes for a
	 * file.
	 */
	private static boolean hasFields(String name, HttpServletRequest request) {
		try {
			Collection<Part> parts = request.getParts();
			return !parts.isEmpty() && parts.stream()
				.filter((part) -> SentForm.isNamed(name, part.getName()))
				.allMatch((part) -> SentForm.isField(part.getHeader(HttpHeaders.CONTENT_DISPOSITION),
						part.getContentType()));
		}
		catch (IOException | ServletException | RuntimeException ex) {
			return false;
		}
	}

	@Override
	default @Nullable String cookie(String name) {
		Cookie cookie = WebUtils.getCookie(request(), name);
		if (cookie == null) {
			return null;
		}
		return cookie.getValue();
	}

	@Override
	default String method() {
		return request().getMethod();
	}

	@Override
	default @Nullable String session() {
		HttpSession session = request().getSession(false);
		if (session == null) {
			return null;
		}
		return session.getId();
	}

}
