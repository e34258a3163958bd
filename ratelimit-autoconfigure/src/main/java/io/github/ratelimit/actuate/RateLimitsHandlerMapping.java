package io.github.ratelimit.actuate;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.ratelimit.web.address.ClientAddressResolver;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Maps the operations of the endpoint {@code ratelimits} before Spring Boot's own mapping
 * does, where Spring MVC serves the actuator.
 */
final class RateLimitsHandlerMapping extends RequestMappingHandlerMapping {

	private static final Method HANDLE = ClassUtils.getMethod(Requests.class, "handle", HttpServletRequest.class,
			Map.class, MultiValueMap.class);

	private final RateLimitsOperations operations;

	private final @Nullable CorsConfiguration cors;

	/**
	 * Creates the mapping.
	 * @param endpoints knows the operations
	 * @param base the path of all endpoints
	 * @param mediaTypes the media types that requests consume and produce
	 * @param reader creates the limits that are simulated, or {@code null} if none can be
	 * sent
	 * @param interventions gives what changes exemptions and denials, or nothing without
	 * the endpoint
	 * @param clientAddresses finds out who asks for that
	 * @param cors the configuration of all endpoints, or {@code null}
	 */
	RateLimitsHandlerMapping(WebEndpointsSupplier endpoints, EndpointMapping base, EndpointMediaTypes mediaTypes,
			@Nullable OverrideReader reader, Supplier<@Nullable InterventionOperations> interventions,
			ObjectProvider<ClientAddressResolver> clientAddresses, @Nullable CorsConfiguration cors) {
		this.operations = new RateLimitsOperations(endpoints, base, mediaTypes, reader, interventions, clientAddresses);
		this.cors = cors;
		setOrder(RateLimitsOperations.ORDER);
	}

	@Override
	protected void initHandlerMethods() {
		this.operations.map((method, path, consumed, produced,
				operation) -> registerMapping(RequestMappingInfo.paths(path)
					.options(getBuilderConfiguration())
					.methods(method)
					.consumes(consumed)
					.produces(produced)
					.build(), new Requests(operation), HANDLE));
	}

	@Override
	protected @Nullable CorsConfiguration initCorsConfiguration(Object handler, Method method,
			RequestMappingInfo mapping) {
		return (((Requests) handler).operation != RateLimitsOperations.TOKEN) ? this.cors : null;
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
	 * Answers requests for one operation.
	 *
	 * @param operation the operation
	 */
	record Requests(RateLimitsOperations.Operation operation) {

		public ResponseEntity<?> handle(HttpServletRequest request, @PathVariable Map<String, String> variables,
				@RequestParam MultiValueMap<String, String> parameters) throws IOException {
			Map<String, String> token = Map.of();
			if (this.operation == RateLimitsOperations.TOKEN) {
				token = token(request);
			}
			return RateLimitsOperations
				.response(this.operation.answer(new RateLimitsOperations.Request(new ServletSecurity(request),
						variables, parameters, body(request), RateLimitsOperations.version(request::getHeader), token,
						(addresses, range) -> addresses.isFrom(range, request.getRemoteAddr(), request::getHeaders))));
		}

		private static @Nullable String body(HttpServletRequest request) throws IOException {
			if (!request.getMethod().equals(HttpMethod.POST.name())) {
				return null;
			}
			byte[] body = request.getInputStream().readNBytes(SentJson.MAX_LENGTH + 1);
			return new String(body, StandardCharsets.UTF_8);
		}

		private static Map<String, String> token(HttpServletRequest request) {
			if (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token) {
				return Map.of("header", token.getHeaderName(), "token", token.getToken());
			}
			return Map.of();
		}

	}

	/**
	 * The user who sends a request.
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
