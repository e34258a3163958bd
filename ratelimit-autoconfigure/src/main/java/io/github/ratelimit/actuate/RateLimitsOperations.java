package io.github.ratelimit.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.support.ReadableText;
import io.github.ratelimit.support.Suggestion;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.WebOperationRequestPredicate;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;
import org.springframework.util.DigestUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.RequestMethod;

/**
 * The operations of the endpoint {@code ratelimits}, and requests that Spring Boot has no
 * operation for: the page's token, simulations, exemptions and denials. They are answered
 * in ways in which Spring Boot would not: with any object as their body, which it takes
 * for a map of texts, with {@code If-Match}, and with {@code Cache-Control} and other
 * fields in the answer. Operations that are neither exposed nor permitted are not there.
 *
 * @param endpoints knows the operations
 * @param base the path of all endpoints
 * @param mediaTypes the media types that requests consume and produce
 * @param reader creates the limits that are simulated, or {@code null} if none can be
 * sent
 * @param interventions gives what changes exemptions and denials, or nothing without the
 * endpoint
 * @param clientAddresses finds out who asks for that
 */
record RateLimitsOperations(WebEndpointsSupplier endpoints, EndpointMapping base, EndpointMediaTypes mediaTypes,
		@Nullable OverrideReader reader, Supplier<@Nullable InterventionOperations> interventions,
		ObjectProvider<ClientAddressResolver> clientAddresses) {

	/* Only the page asks for it. */
	static final Operation TOKEN = RateLimitsOperations::token;

	/** Handler mappings come before Spring Boot's own. */
	static final int ORDER = -101;

	private static final String ENDPOINT = "ratelimits";

	private static final Set<String> PARAMETERS = Set.of("key", "plan", "version");

	private static final Set<String> OF_KEY = Set.of("key");

	private static final Set<String> OF_BAN = Set.of("key", "hash");

	private static final Set<String> OF_INTERVENTION = Set.of("address", "policy", "key");

	private static final String SECURITY_POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; "
			+ "form-action 'self'; frame-ancestors 'none'";

	private static Object token(Request request) {
		if (request.token().isEmpty()) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		}
		return request.token();
	}

	/**
	 * Maps all of them.
	 * @param mapping maps one operation
	 */
	void map(Mapping mapping) {
		for (ExposableWebEndpoint endpoint : this.endpoints.getEndpoints()) {
			if (endpoint.getEndpointId().toString().equals(ENDPOINT)) {
				endpoint.getOperations()
					.forEach((operation) -> map(operation.getRequestPredicate(),
							(request) -> invoke(operation, request), mapping));
				mapOthers(endpoint.getRootPath(), mapping);
				mapInterventions(endpoint, mapping);
			}
		}
	}

	/*
	 * Simulations change nothing, so that they are there as well where the endpoint's
	 * access is read-only and Spring Boot has no operation for a POST.
	 */
	private void mapOthers(String root, Mapping mapping) {
		if (ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken",
				RateLimitsOperations.class.getClassLoader())) {
			map(new WebOperationRequestPredicate(root + "/page/token", WebEndpointHttpMethod.GET, Set.of(), Set.of()),
					TOKEN, mapping);
		}
		OverrideReader reader = this.reader;
		if (reader != null) {
			SimulationOperation simulation = new SimulationOperation((json) -> SentJson.simulation(json, reader));
			map(new WebOperationRequestPredicate(root + "/simulate", WebEndpointHttpMethod.POST,
					this.mediaTypes.getConsumed(), this.mediaTypes.getProduced()),
					(request) -> simulation.simulate(Objects.requireNonNullElse(request.body(), "")), mapping);
		}
	}

	/*
	 * They may be changed where overrides may.
	 */
	private void mapInterventions(ExposableWebEndpoint endpoint, Mapping mapping) {
		InterventionOperations interventions = this.interventions.get();
		if (interventions == null) {
			return;
		}
		boolean writable = endpoint.getOperations()
			.stream()
			.anyMatch((operation) -> operation.getType() == OperationType.WRITE);
		for (Kind kind : List.of(Kind.EXEMPT, Kind.DENY)) {
			String path = endpoint.getRootPath() + "/" + InterventionOperations.word(kind);
			map(new WebOperationRequestPredicate(path, WebEndpointHttpMethod.GET, Set.of(),
					this.mediaTypes.getProduced()), (request) -> interventions.list(kind), mapping);
			if (writable) {
				map(new WebOperationRequestPredicate(path, WebEndpointHttpMethod.POST, this.mediaTypes.getConsumed(),
						this.mediaTypes.getProduced()),
						changing(Set.of(), (request) -> put(interventions, kind, request)), mapping);
				map(new WebOperationRequestPredicate(path, WebEndpointHttpMethod.DELETE, Set.of(),
						this.mediaTypes.getProduced()),
						changing(OF_INTERVENTION, (request) -> remove(interventions, kind, request)), mapping);
			}
		}
	}

	private Object put(InterventionOperations interventions, Kind kind, Request request) {
		ClientAddressResolver addresses = this.clientAddresses.getObject();
		return interventions.put(kind, Objects.requireNonNullElse(request.body(), ""),
				RateLimitsEndpointWebExtension.who(request.security()),
				(range) -> request.isFrom().test(addresses, range));
	}

	private static Object remove(InterventionOperations interventions, Kind kind, Request request) {
		interventions.remove(kind, request.parameters().toSingleValueMap(),
				RateLimitsEndpointWebExtension.who(request.security()));
		return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
	}

	private static Operation changing(Set<String> known, Operation operation) {
		return (request) -> {
			try {
				checkParameters(true, known, request.parameters());
				return operation.answer(request);
			}
			catch (InvalidOperationException ex) {
				return ex.answer();
			}
		};
	}

	private void map(WebOperationRequestPredicate predicate, Operation operation, Mapping mapping) {
		mapping.map(RequestMethod.valueOf(predicate.getHttpMethod().name()),
				this.base.createSubPath(predicate.getPath()), StringUtils.toStringArray(predicate.getConsumes()),
				StringUtils.toStringArray(predicate.getProduces()), operation);
	}

	private static @Nullable Object invoke(WebOperation operation, Request request) {
		Map<String, Object> arguments = new HashMap<>(request.parameters().toSingleValueMap());
		arguments.putAll(request.variables());
		if (request.body() != null) {
			arguments.put("override", request.body());
		}
		if (request.version() != null) {
			arguments.put("version", request.version());
		}
		try {
			checkParameters(operation.getType() != OperationType.READ, known(operation, request), request.parameters());
			return operation.invoke(new InvocationContext(request.security(), arguments));
		}
		catch (InvalidOperationException ex) {
			return ex.answer();
		}
	}

	/*
	 * A reset is of a key, and a ban of a key or of its hash. The path of a reset names
	 * the policy alone, and that of another operation has a word behind it. An override
	 * and the end of a ban have one path.
	 */
	private static Set<String> known(WebOperation operation, Request request) {
		String path = operation.getRequestPredicate().getPath();
		boolean reset = operation.getType() == OperationType.DELETE && StringUtils.countOccurrencesOf(path, "{") == 1;
		boolean ban = operation.getType() == OperationType.WRITE && path.endsWith("/{word}");
		if (ban) {
			return OF_BAN;
		}
		boolean endsBan = InterventionOperations.BAN.equals(request.variables().get("override"));
		return (reset || endsBan) ? OF_KEY : PARAMETERS;
	}

	/*
	 * A mistyped parameter would make a change of one key one of all keys, and one that
	 * is there twice would leave one of two keys out. Spring Security's token may be a
	 * parameter, too.
	 */
	private static void checkParameters(boolean changes, Set<String> known, MultiValueMap<String, String> parameters) {
		parameters.forEach((name, values) -> {
			boolean isKnown = known.contains(name);
			if (isKnown && values.size() > 1) {
				throw invalidParameter(name, "is there twice", "Remove one of them.");
			}
			boolean isSpringSecuritys = name.startsWith("_");
			if (changes && !isKnown && !isSpringSecuritys) {
				String readable = ReadableText.of(name);
				throw invalidParameter(readable, "is not known", Suggestion.of(readable, known));
			}
		});
	}

	private static InvalidOperationException invalidParameter(String name, String reason, String action) {
		return new InvalidOperationException("Invalid parameter", 400, "The parameter '" + name + "' " + reason + ".",
				action, null, null);
	}

	/**
	 * The version of the override that a request expects.
	 * @param fields its header fields
	 * @return what {@code If-Match} has; none with {@code If-None-Match: *}; what is no
	 * version with any other {@code If-None-Match}, which means every version but one and
	 * is refused; or {@code null} if any will do
	 */
	static @Nullable String version(UnaryOperator<@Nullable String> fields) {
		String match = fields.apply(HttpHeaders.IF_MATCH);
		String noneMatch = fields.apply(HttpHeaders.IF_NONE_MATCH);
		if (match != null || noneMatch == null) {
			return match;
		}
		if (noneMatch.strip().equals("*")) {
			return "0";
		}
		return HttpHeaders.IF_NONE_MATCH + ": " + noneMatch;
	}

	static ResponseEntity<?> response(@Nullable Object answer) throws IOException {
		if (!(answer instanceof WebEndpointResponse<?> response)) {
			return response(new WebEndpointResponse<>(answer));
		}

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
	 * whether a file has changed. Its tag is weak, because Tomcat compresses nothing that
	 * has a strong one.
	 */
	private static void addPageHeaders(Resource file, ResponseEntity.BodyBuilder answer) throws IOException {
		try (InputStream content = file.getInputStream()) {
			answer.eTag("W/\"" + DigestUtils.md5DigestAsHex(content) + "\"");
		}
		answer.cacheControl(CacheControl.noCache())
			.header("Content-Security-Policy", SECURITY_POLICY)
			.header("X-Content-Type-Options", "nosniff")
			.header("Referrer-Policy", "no-referrer");
	}

	/**
	 * Maps an operation, as its web stack does.
	 */
	interface Mapping {

		void map(RequestMethod method, String path, String[] consumed, String[] produced, Operation operation);

	}

	/**
	 * Answers a request.
	 */
	interface Operation {

		@Nullable Object answer(Request request);

	}

	/**
	 * The parts of a request that operations read.
	 *
	 * @param security who sends it
	 * @param variables the variables of its path, which precede parameters
	 * @param parameters its parameters
	 * @param body the body of a POST, and of one that is too long only so much that this
	 * is noticed
	 * @param version the version of the override that it expects, see {@link #version}
	 * @param token which header field Spring Security wants to see beside changes, and
	 * its value, wherever that is kept; read for {@link #TOKEN} only. Only scripts of the
	 * same origin can read the answer
	 * @param isFrom whether it comes from a range of addresses
	 */
	record Request(SecurityContext security, Map<String, String> variables, MultiValueMap<String, String> parameters,
			@Nullable String body, @Nullable String version, Map<String, String> token,
			BiPredicate<ClientAddressResolver, String> isFrom) {
	}

}
