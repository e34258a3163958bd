package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.actuate.RateLimitsEndpointWebExtension;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;
import org.springframework.util.DigestUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Passes requests to an operation of the endpoint as Spring Boot would not: with any
 * object as their body, which it takes for a map of texts, with {@code If-Match}, and
 * with {@code Cache-Control} in the answer.
 */
final class OperationRequests {

	static final Method HANDLE = ClassUtils.getMethod(OperationRequests.class, "handle", HttpServletRequest.class,
			Map.class, Map.class);

	private static final String SECURITY_POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; "
			+ "form-action 'self'; frame-ancestors 'none'";

	private final WebOperation operation;

	OperationRequests(WebOperation operation) {
		this.operation = operation;
	}

	public ResponseEntity<?> handle(HttpServletRequest request, @PathVariable Map<String, String> variables,
			@RequestParam Map<String, String> parameters) throws IOException {
		try {
			Map<String, Object> arguments = new HashMap<>(parameters);
			arguments.putAll(variables);
			if (request.getMethod().equals(HttpMethod.POST.name())) {
				arguments.put("override", read(request, "override", OverrideReader.tooLong()));
			}
			String version = version(request.getHeader(HttpHeaders.IF_MATCH));
			if (version != null) {
				arguments.put("version", version);
			}
			return answer(this.operation.invoke(new InvocationContext(new ServletSecurity(request), arguments)));
		}
		catch (InvalidOperationException ex) {
			return answer(RateLimitsEndpointWebExtension.problem(ex));
		}
		catch (InvalidEndpointRequestException ex) {
			return problem(String.valueOf(ex.getReason()));
		}
	}

	private static @Nullable String version(@Nullable String tag) {
		if (tag == null) {
			return null;
		}
		String version = tag.strip();
		boolean quoted = version.length() > 2 && version.startsWith("\"") && version.endsWith("\"");
		return quoted ? version.substring(1, version.length() - 1) : version.equals("*") ? version : "";
	}

	static ResponseEntity<?> answer(@Nullable Object answer) throws IOException {
		if (!(answer instanceof WebEndpointResponse<?> response)) {
			return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(answer);
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
		if (response.getStatus() == HttpStatus.SERVICE_UNAVAILABLE.value()) {
			builder.header(HttpHeaders.RETRY_AFTER, "1");
		}
		Long version = RateLimitsEndpointWebExtension.version(response.getBody());
		if (version != null) {
			builder.eTag("\"" + version + "\"");
		}
		return builder.body(response.getBody());
	}

	private static ResponseEntity<?> problem(String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, detail);
		return ResponseEntity.badRequest()
			.cacheControl(CacheControl.noStore())
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.body(problem);
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
	 * Reads the text of a request to the endpoint, and no more of it than it may have.
	 * @param request the request
	 * @param what what it should be, such as {@code override}
	 * @param tooLong the mistake of sending more than {@link OverrideReader#LONGEST}
	 * @throws InvalidOperationException if it is too long, or no text
	 */
	static String read(HttpServletRequest request, String what, InvalidOperationException tooLong) throws IOException {
		byte[] body = request.getInputStream().readNBytes(OverrideReader.LONGEST + 1);
		if (body.length > OverrideReader.LONGEST) {
			throw tooLong;
		}
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
		}
		catch (CharacterCodingException ex) {
			throw new InvalidOperationException(400, "The " + what + " is not in UTF-8.", "Send it in UTF-8.", null);
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
