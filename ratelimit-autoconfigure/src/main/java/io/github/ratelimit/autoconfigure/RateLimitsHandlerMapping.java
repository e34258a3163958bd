package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.actuate.OverrideDescriptor;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.actuate.SimulationOperation;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.WebOperationRequestPredicate;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.util.DigestUtils;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Maps the operations of the endpoint {@code ratelimits} before Spring Boot's own mapping
 * does, and what is no operation: the page's token and simulations. Operations that are
 * neither exposed nor permitted are not mapped.
 */
final class RateLimitsHandlerMapping extends RequestMappingHandlerMapping {

	private static final String ENDPOINT = "ratelimits";

	private static final Method HANDLE = ClassUtils.getMethod(Requests.class, "handle", HttpServletRequest.class,
			Map.class, Map.class);

	private static final String SECURITY_POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; "
			+ "form-action 'self'; frame-ancestors 'none'";

	/* For the page only. */
	private static final Requests TOKEN = (request, arguments) -> token(request);

	private static final int BEFORE_ENDPOINTS = -101;

	private final WebEndpointsSupplier endpoints;

	private final EndpointMapping base;

	private final EndpointMediaTypes mediaTypes;

	private final @Nullable CorsConfiguration cors;

	RateLimitsHandlerMapping(WebEndpointsSupplier endpoints, EndpointMapping base, EndpointMediaTypes mediaTypes,
			@Nullable CorsConfiguration cors) {
		this.endpoints = endpoints;
		this.base = base;
		this.mediaTypes = mediaTypes;
		this.cors = cors;
		setOrder(BEFORE_ENDPOINTS);
	}

	@Override
	protected void initHandlerMethods() {
		for (ExposableWebEndpoint endpoint : this.endpoints.getEndpoints()) {
			if (endpoint.getEndpointId().toString().equals(ENDPOINT)) {
				endpoint.getOperations().forEach(this::map);
				mapOthers(endpoint.getRootPath());
			}
		}
	}

	private void map(WebOperation operation) {
		WebOperationRequestPredicate predicate = operation.getRequestPredicate();
		map(RequestMethod.valueOf(predicate.getHttpMethod().name()), predicate.getPath(), predicate.getConsumes(),
				predicate.getProduces(), (request, arguments) -> invoke(operation, request, arguments));
	}

	/*
	 * Simulations change nothing, so that they are there as well where the endpoint's
	 * access is read-only and Spring Boot has no operation for a POST.
	 */
	private void mapOthers(String root) {
		if (isPresent("org.springframework.security.web.csrf.CsrfToken")) {
			map(RequestMethod.GET, root + "/page/token", Set.of(), Set.of(), TOKEN);
		}
		if (isPresent("tools.jackson.databind.json.JsonMapper")) {
			SimulationOperation simulation = new SimulationOperation(new JsonOverrideReader()::simulation);
			map(RequestMethod.POST, root + "/simulate", this.mediaTypes.getConsumed(), this.mediaTypes.getProduced(),
					(request, arguments) -> simulation.simulate(body(request)));
		}
	}

	private void map(RequestMethod method, String path, Collection<String> consumed, Collection<String> produced,
			Requests requests) {
		registerMapping(RequestMappingInfo.paths(this.base.createSubPath(path))
			.options(getBuilderConfiguration())
			.methods(method)
			.consumes(StringUtils.toStringArray(consumed))
			.produces(StringUtils.toStringArray(produced))
			.build(), requests, HANDLE);
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, obtainApplicationContext().getClassLoader());
	}

	@Override
	protected boolean isHandler(Class<?> beanType) {
		return false;
	}

	@Override
	protected @Nullable CorsConfiguration initCorsConfiguration(Object handler, Method method,
			RequestMappingInfo mapping) {
		return (handler != TOKEN) ? this.cors : null;
	}

	/*
	 * Spring Boot's own mapping comes next.
	 */
	@Override
	protected @Nullable HandlerMethod handleNoMatch(Set<RequestMappingInfo> infos, String lookupPath,
			HttpServletRequest request) {
		return null;
	}

	private static @Nullable Object invoke(WebOperation operation, HttpServletRequest request,
			Map<String, Object> arguments) throws IOException {
		if (request.getMethod().equals(HttpMethod.POST.name())) {
			arguments.put("override", body(request));
		}
		String version = request.getHeader(HttpHeaders.IF_MATCH);
		if (version != null) {
			arguments.put("version", version);
		}
		try {
			return operation.invoke(new InvocationContext(new ServletSecurity(request), arguments));
		}
		catch (InvalidEndpointRequestException ex) {
			ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, ex.getReason());
			return new WebEndpointResponse<>(problem, problem.getStatus(), MediaType.APPLICATION_PROBLEM_JSON);
		}
	}

	/*
	 * What a request has sent, and of what is too long only so much that this is noticed.
	 */
	private static String body(HttpServletRequest request) throws IOException {
		return new String(request.getInputStream().readNBytes(OverrideReader.LONGEST + 1), StandardCharsets.UTF_8);
	}

	/*
	 * Tells the page which token Spring Security wants to see beside its changes,
	 * wherever that is kept. Only scripts of the same origin can read the answer.
	 */
	private static Object token(HttpServletRequest request) {
		return (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token)
				? Map.of("header", token.getHeaderName(), "token", token.getToken())
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
	}

	static ResponseEntity<?> response(@Nullable Object answer) throws IOException {
		WebEndpointResponse<?> response = (answer instanceof WebEndpointResponse<?> told) ? told
				: new WebEndpointResponse<>(answer);
		ResponseEntity.BodyBuilder builder = ResponseEntity.status(response.getStatus());
		if (response.getContentType() != null) {
			builder.contentType(MediaType.asMediaType(response.getContentType()));
		}
		if (response.getBody() instanceof Resource file) {
			addPageHeaders(file, builder);
		}
		else {
			builder.cacheControl(CacheControl.noStore());
		}
		if (response.getStatus() == WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE) {
			builder.header(HttpHeaders.RETRY_AFTER, "1");
		}
		if (response.getBody() instanceof OverrideDescriptor override) {
			builder.eTag("\"" + override.version() + "\"");
		}
		return builder.body(response.getBody());
	}

	/*
	 * Nothing from elsewhere is loaded, no other site frames the page, and browsers ask
	 * whether a file has changed.
	 */
	private static void addPageHeaders(Resource file, ResponseEntity.BodyBuilder answer) throws IOException {
		try (InputStream content = file.getInputStream()) {
			answer.eTag("\"" + DigestUtils.md5DigestAsHex(content) + "\"");
		}
		answer.cacheControl(CacheControl.noCache())
			.header("Content-Security-Policy", SECURITY_POLICY)
			.header("X-Content-Type-Options", "nosniff")
			.header("Referrer-Policy", "no-referrer");
	}

	/**
	 * Answers requests as Spring Boot would not: with any object as their body, which it
	 * takes for a map of texts, with {@code If-Match}, and with {@code Cache-Control} and
	 * other fields in the answer.
	 */
	interface Requests {

		@Nullable Object answer(HttpServletRequest request, Map<String, Object> arguments) throws IOException;

		default ResponseEntity<?> handle(HttpServletRequest request, @PathVariable Map<String, String> variables,
				@RequestParam Map<String, String> parameters) throws IOException {
			Map<String, Object> arguments = new HashMap<>(parameters);
			arguments.putAll(variables);
			return response(answer(request, arguments));
		}

	}

	/**
	 * Who sends a request.
	 *
	 * @param request the request
	 */
	private record ServletSecurity(HttpServletRequest request) implements SecurityContext {

		@Override
		public @Nullable Principal getPrincipal() {
			return this.request.getUserPrincipal();
		}

		@Override
		public boolean isUserInRole(String role) {
			return this.request.isUserInRole(role);
		}

	}

}
