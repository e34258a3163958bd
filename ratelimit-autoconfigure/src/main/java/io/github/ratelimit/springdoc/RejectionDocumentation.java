package io.github.ratelimit.springdoc;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

	private final List<Field> fields;

	private final List<Field> fieldsOfRejections;

	private final boolean ownAnswer;

	/**
	 * Creates the documentation.
	 * @param families the families of header fields that are sent
	 * @param ownAnswer whether the application answers rejections itself, in its own
	 * format
	 */
	RejectionDocumentation(Collection<HeaderFamily> families, boolean ownAnswer) {
		Map<Boolean, List<Field>> byRetry = Arrays.stream(HeaderName.values())
			.filter((name) -> name.isSentWith(families))
			.collect(
					Collectors.partitioningBy(HeaderName::isRetry, Collectors.mapping(Field::of, Collectors.toList())));
		this.fields = byRetry.getOrDefault(false, List.of());
		this.fieldsOfRejections = byRetry.getOrDefault(true, List.of());
		this.ownAnswer = ownAnswer;
	}

	void addTo(Operation operation) {
		ApiResponses responses = Objects.requireNonNullElseGet(operation.getResponses(), ApiResponses::new);
		operation.setResponses(responses);
		ApiResponse rejection = responses.computeIfAbsent(TOO_MANY_REQUESTS, (status) -> rejection());
		responses.forEach((status, response) -> {
			if (!status.startsWith("3")) {
				add(response, this.fields);
			}
		});
		add(rejection, this.fieldsOfRejections);
	}

	private ApiResponse rejection() {
		ApiResponse response = new ApiResponse().description("Too Many Requests");
		return this.ownAnswer ? response : response.content(new Content().addMediaType("application/problem+json",
				new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM))));
	}

	private static void add(ApiResponse response, List<Field> fields) {
		for (Field field : fields) {
			if (response.get$ref() == null
					&& (response.getHeaders() == null || !response.getHeaders().containsKey(field.name()))) {
				response.addHeaderObject(field.name(), field.header());
			}
		}
	}

	/**
	 * Adds the schema of the rejection, unless no operation has it.
	 */
	void addSchema(OpenAPI document) {
		if (!this.ownAnswer && operations(document).anyMatch(RejectionDocumentation::isLimited)) {
			document.schema(PROBLEM, problem());
		}
	}

	static Stream<Operation> operations(OpenAPI document) {
		return (document.getPaths() == null) ? Stream.empty()
				: document.getPaths().values().stream().flatMap((path) -> path.readOperations().stream());
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

	/**
	 * A header field in a document.
	 *
	 * @param name the field's name
	 * @param description what it says
	 * @param number whether its value is a whole number
	 */
	record Field(String name, String description, boolean number) {

		static Field of(HeaderName name) {
			String description = switch (name) {
				case RATE_LIMIT_POLICY -> "Limits, as the IETF's draft writes them";
				case RATE_LIMIT -> "What is left of them, as the IETF's draft writes it";
				case X_RATE_LIMIT_LIMIT -> "Permits that the tightest limit has at most";
				case X_RATE_LIMIT_REMAINING -> "Permits that are left of the tightest limit";
				case X_RATE_LIMIT_RESET -> "When the tightest limit has all its permits again";
				case RETRY_AFTER, X_RATE_LIMIT_RETRY_AFTER -> "Seconds until it is worth trying again";
			};
			return new Field(name.text(), description, !name.isList());
		}

		Header header() {
			return new Header().description(this.description)
				.schema(this.number ? new IntegerSchema() : new StringSchema());
		}

	}

}
