package io.github.ratelimit.actuate;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.result.method.RequestMappingInfo;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * Maps the operations of the endpoint {@code ratelimits} before Spring Boot's own mapping
 * does, where WebFlux serves the actuator. Operations may block, so that they run on
 * threads that may.
 */
final class ReactiveRateLimitsHandlerMapping extends RequestMappingHandlerMapping {

	private static final boolean SECURED = ClassUtils.isPresent("org.springframework.security.core.Authentication",
			ReactiveRateLimitsHandlerMapping.class.getClassLoader());

	private static final Method HANDLE = ClassUtils.getMethod(Requests.class, "handle", ServerWebExchange.class,
			Map.class, MultiValueMap.class, String.class);

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
	ReactiveRateLimitsHandlerMapping(WebEndpointsSupplier endpoints, EndpointMapping base,
			EndpointMediaTypes mediaTypes, @Nullable OverrideReader reader,
			Supplier<@Nullable InterventionOperations> interventions,
			ObjectProvider<ClientAddressResolver> clientAddresses, @Nullable CorsConfiguration cors) {
		this.operations = new RateLimitsOperations(endpoints, base, mediaTypes, reader, interventions, clientAddresses);
		this.cors = cors;
		setOrder(RateLimitsOperations.ORDER);
	}

	@Override
	protected void initHandlerMethods() {
		this.operations.map((method, path, consumed, produced, operation) -> registerMapping(
				RequestMappingInfo.paths(path).methods(method).consumes(consumed).produces(produced).build(),
				new Requests(operation), HANDLE));
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
	protected @Nullable HandlerMethod handleNoMatch(Set<RequestMappingInfo> infos, ServerWebExchange exchange) {
		return null;
	}

	/**
	 * Answers requests for one operation.
	 *
	 * @param operation the operation
	 */
	record Requests(RateLimitsOperations.Operation operation) {

		public Mono<ResponseEntity<?>> handle(ServerWebExchange exchange, @PathVariable Map<String, String> variables,
				@RequestParam MultiValueMap<String, String> parameters,
				@RequestBody(required = false) @Nullable String body) {
			String version = RateLimitsOperations.version(exchange.getRequest().getHeaders()::getFirst);
			String sent = null;
			if (exchange.getRequest().getMethod() == HttpMethod.POST) {
				sent = Objects.requireNonNullElse(body, "");
			}
			return answer(exchange, variables, parameters, sent, version);
		}

		private Mono<ResponseEntity<?>> answer(ServerWebExchange exchange, Map<String, String> variables,
				MultiValueMap<String, String> parameters, @Nullable String body, @Nullable String version) {
			Mono<SecurityContext> user = exchange.getPrincipal().map(User::new);
			Mono<Map<String, String>> token = Mono.just(Map.of());
			if (this.operation == RateLimitsOperations.TOKEN) {
				token = Secured.token(exchange);
			}
			return Mono.zip(user.defaultIfEmpty(SecurityContext.NONE), token)
				.publishOn(Schedulers.boundedElastic())
				.flatMap((asking) -> Mono.fromCallable(() -> RateLimitsOperations.response(this.operation
					.answer(new RateLimitsOperations.Request(asking.getT1(), variables, parameters, body, version,
							asking.getT2(), (addresses, range) -> isFrom(range, exchange, addresses))))));
		}

	}

	private static boolean isFrom(String range, ServerWebExchange exchange, ClientAddressResolver addresses) {
		ServerHttpRequest request = exchange.getRequest();
		return addresses.isFrom(range, request.getRemoteAddress(), request.getHeaders()::getOrEmpty);
	}

	/**
	 * The user who sends a request.
	 *
	 * @param principal the user
	 */
	private record User(Principal principal) implements SecurityContext {

		@Override
		public Principal getPrincipal() {
			return this.principal;
		}

		@Override
		public boolean isUserInRole(String role) {
			return SECURED && Secured.hasRole(this.principal, role);
		}

	}

	/**
	 * Calls Spring Security. It is a class of its own, because handlers are introspected.
	 */
	private static final class Secured {

		static Mono<Map<String, String>> token(ServerWebExchange exchange) {
			Mono<CsrfToken> token = exchange.getAttributeOrDefault(CsrfToken.class.getName(), Mono.empty());
			return token.map((each) -> Map.of("header", each.getHeaderName(), "token", each.getToken()))
				.defaultIfEmpty(Map.of());
		}

		static boolean hasRole(Principal principal, String role) {
			return principal instanceof Authentication user && user.getAuthorities()
				.stream()
				.anyMatch((authority) -> ("ROLE_" + role).equals(authority.getAuthority()));
		}

	}

}
