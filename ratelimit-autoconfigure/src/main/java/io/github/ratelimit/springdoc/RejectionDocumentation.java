package io.github.ratelimit.springdoc;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.HeaderName;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.ArraySchema;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;

/**
 * What a limited operation answers beside what it answers anyway: the header fields, and
 * the rejection. What the application documents itself stays.
 */
final class RejectionDocumentation {

	private static final String TOO_MANY_REQUESTS = "429";

	private static final String PROBLEM = "RateLimitProblem";

	private final List<HeaderName> fields;

	private final boolean ownAnswer;

	/**
	 * Creates the documentation.
	 * @param families the families of header fields that are sent
	 * @param ownAnswer whether the application answers rejections itself, in its own
	 * format
	 */
	RejectionDocumentation(Collection<HeaderFamily> families, boolean ownAnswer) {
		this.fields = Arrays.stream(HeaderName.values()).filter((name) -> name.isSentWith(families)).toList();
		this.ownAnswer = ownAnswer;
	}

	void addTo(Operation operation) {
		ApiResponses responses = Objects.requireNonNullElseGet(operation.getResponses(), ApiResponses::new);
		operation.setResponses(responses);
		responses.computeIfAbsent(TOO_MANY_REQUESTS, (status) -> rejection());
		responses.forEach((status, response) -> {
			if (!status.startsWith("3") && response.get$ref() == null) {
				addTo(response, status.equals(TOO_MANY_REQUESTS));
			}
		});
	}

	private ApiResponse rejection() {
		ApiResponse response = new ApiResponse().description("Too Many Requests");
		return this.ownAnswer ? response : response.content(new Content().addMediaType("application/problem+json",
				new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM))));
	}

	private void addTo(ApiResponse response, boolean rejection) {
		Map<String, Header> known = Objects.requireNonNullElse(response.getHeaders(), Map.of());
		for (HeaderName name : this.fields) {
			if ((rejection || !name.isRetry()) && !known.containsKey(name.text())) {
				response.addHeaderObject(name.text(), header(name));
			}
		}
	}

	/**
	 * Adds the schema of the rejection, unless no operation has it.
	 */
	void addSchema(OpenAPI document) {
		if (!this.ownAnswer && document.getPaths() != null
				&& document.getPaths()
					.values()
					.stream()
					.flatMap((path) -> path.readOperations().stream())
					.anyMatch(RejectionDocumentation::isLimited)) {
			document.schema(PROBLEM, problem());
		}
	}

	private static boolean isLimited(Operation operation) {
		ApiResponses responses = operation.getResponses();
		return responses != null && responses.containsKey(TOO_MANY_REQUESTS);
	}

	private static Schema<?> problem() {
		return new ObjectSchema().description("Problem (RFC 9457) of a request that exceeds a rate limit")
			.addProperty("type",
					new StringSchema().format("uri")
						.example("https://iana.org/assignments/http-problem-types#quota-exceeded"))
			.addProperty("title", new StringSchema())
			.addProperty("status", new IntegerSchema().example(429))
			.addProperty("violated-policies",
					new ArraySchema().items(new StringSchema()).description("Names of the limits that were exceeded"));
	}

	private static Header header(HeaderName name) {
		String description = switch (name) {
			case RATE_LIMIT_POLICY -> "Limits, as the IETF's draft writes them";
			case RATE_LIMIT -> "What is left of them, as the IETF's draft writes it";
			case X_RATE_LIMIT_LIMIT -> "Permits that the tightest limit has at most";
			case X_RATE_LIMIT_REMAINING -> "Permits that are left of the tightest limit";
			case X_RATE_LIMIT_RESET -> "When the tightest limit has all its permits again";
			case RETRY_AFTER, X_RATE_LIMIT_RETRY_AFTER -> "Seconds until it is worth trying again";
		};
		return new Header().description(description).schema(name.isList() ? new StringSchema() : new IntegerSchema());
	}

}
