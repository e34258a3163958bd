package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.actuate.SimulationOperation;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.WebOperationRequestPredicate;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Maps the operations of the endpoint {@code ratelimits} before Spring Boot's own mapping
 * does, whose answers have no header fields, and what is no operation: the page's token
 * and simulations. Operations that are neither exposed nor permitted are not mapped.
 */
final class RateLimitsHandlerMapping extends RequestMappingHandlerMapping {

	private static final String ENDPOINT = "ratelimits";

	private static final InvalidOperationException TOO_LONG = new InvalidOperationException(413,
			"The simulation is longer than " + OverrideReader.LONGEST + " bytes.", "Simulate fewer requests.", null);

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
				mapToken(endpoint.getRootPath());
				mapSimulations(endpoint.getRootPath());
			}
		}
	}

	private void map(WebOperation operation) {
		WebOperationRequestPredicate predicate = operation.getRequestPredicate();
		registerMapping(at(predicate.getPath()).methods(RequestMethod.valueOf(predicate.getHttpMethod().name()))
			.consumes(StringUtils.toStringArray(predicate.getConsumes()))
			.produces(StringUtils.toStringArray(predicate.getProduces()))
			.build(), new OperationRequests(operation), OperationRequests.HANDLE);
	}

	private void mapToken(String root) {
		if (isPresent("org.springframework.security.web.csrf.CsrfToken")) {
			registerMapping(at(root + "/page/token").methods(RequestMethod.GET).build(), new CsrfTokenRequests(),
					CsrfTokenRequests.HANDLE);
		}
	}

	/*
	 * Simulations change nothing, so that they are there as well where the endpoint's
	 * access is read-only and Spring Boot has no operation for a POST.
	 */
	private void mapSimulations(String root) {
		if (isPresent("tools.jackson.databind.json.JsonMapper")) {
			registerMapping(at(root + "/simulate").methods(RequestMethod.POST)
				.consumes(StringUtils.toStringArray(this.mediaTypes.getConsumed()))
				.produces(StringUtils.toStringArray(this.mediaTypes.getProduced()))
				.build(), new SimulationRequests(), SimulationRequests.HANDLE);
		}
	}

	private RequestMappingInfo.Builder at(String path) {
		return RequestMappingInfo.paths(this.base.createSubPath(path)).options(getBuilderConfiguration());
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, obtainApplicationContext().getClassLoader());
	}

	@Override
	protected boolean isHandler(Class<?> beanType) {
		return false;
	}

	/*
	 * The token is for the page only.
	 */
	@Override
	protected @Nullable CorsConfiguration initCorsConfiguration(Object handler, Method method,
			RequestMappingInfo mapping) {
		return (handler instanceof CsrfTokenRequests) ? null : this.cors;
	}

	/*
	 * Spring Boot's own mapping comes next.
	 */
	@Override
	protected @Nullable HandlerMethod handleNoMatch(Set<RequestMappingInfo> infos, String lookupPath,
			HttpServletRequest request) {
		return null;
	}

	/**
	 * Tells the page which token Spring Security wants to see beside its changes,
	 * wherever that is kept. Only scripts of the same origin can read the answer.
	 */
	static final class CsrfTokenRequests {

		static final Method HANDLE = ClassUtils.getMethod(CsrfTokenRequests.class, "handle", HttpServletRequest.class);

		public ResponseEntity<?> handle(HttpServletRequest request) {
			return (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token)
					? ResponseEntity.ok()
						.cacheControl(CacheControl.noStore())
						.body(Map.of("header", token.getHeaderName(), "token", token.getToken()))
					: ResponseEntity.noContent().cacheControl(CacheControl.noStore()).build();
		}

	}

	/**
	 * Answers requests for a simulation.
	 */
	static final class SimulationRequests {

		static final Method HANDLE = ClassUtils.getMethod(SimulationRequests.class, "handle", HttpServletRequest.class);

		private final SimulationOperation operation = new SimulationOperation(SimulationJson::read);

		public ResponseEntity<?> handle(HttpServletRequest request) throws IOException {
			try {
				return OperationRequests
					.answer(this.operation.simulate(OperationRequests.read(request, "simulation", TOO_LONG)));
			}
			catch (InvalidOperationException ex) {
				return OperationRequests.answer(SimulationOperation.problem(ex));
			}
		}

	}

}
