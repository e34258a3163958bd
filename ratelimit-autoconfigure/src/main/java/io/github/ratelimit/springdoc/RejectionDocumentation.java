package io.github.ratelimit.springdoc;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RequestedPath;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
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
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.http.server.PathContainer;
import org.springframework.web.method.HandlerMethod;

/**
 * Documents what a limited operation answers beside what it answers anyway: the header
 * fields, and the rejection, unless a fallback is called in its place. What the
 * application documents itself stays.
 *
 * @since 0.1.0
 */
public final class RejectionDocumentation implements GlobalOperationCustomizer, GlobalOpenApiCustomizer {

	private static final String TOO_MANY_REQUESTS = "429";

	private static final String PROBLEM = "RateLimitProblem";

	private static final Pattern REST = Pattern.compile("\\{\\*[^}]*}|\\*\\*");

	private static final Pattern VARIABLE = Pattern.compile("\\{[^}]*}|\\*");

	private final List<HeaderName> fields;

	private final boolean ownAnswer;

	private final RateLimitedMethods methods;

	private final Supplier<List<RateLimitRule>> rules;

	private final String prefix;

	/**
	 * Creates the documentation.
	 * @param families the families of header fields that are sent
	 * @param ownAnswer whether the application answers rejections itself, in its own
	 * format
	 * @param methods the limits of handlers
	 * @param rules the rules that are in force when a document is made
	 * @param prefix what the paths of rules begin with and those of operations do not
	 */
	public RejectionDocumentation(Collection<HeaderFamily> families, boolean ownAnswer, RateLimitedMethods methods,
			Supplier<List<RateLimitRule>> rules, String prefix) {
		this.fields = Arrays.stream(HeaderName.values()).filter((name) -> name.isSentWith(families)).toList();
		this.ownAnswer = ownAnswer;
		this.methods = methods;
		this.rules = rules;
		this.prefix = prefix;
	}

	@Override
	public Operation customize(Operation operation, HandlerMethod handler) {
		if (!this.methods.isEnforced(handler.getMethod(), handler.getBeanType())) {
			return operation;
		}

		if (!this.methods.isAnsweredByFallbacks(handler.getMethod(), handler.getBeanType())) {
			addRejection(operation);
		}
		addFields(operation);
		return operation;
	}

	/**
	 * Documents the operations that a rule surely applies to, and the schema of the
	 * rejection if any operation has it.
	 */
	@Override
	public void customise(OpenAPI document) {
		List<RateLimitRule> enforced = this.rules.get().stream().filter(RateLimitRule::isDefinedToEnforce).toList();
		Map<String, PathItem> paths = Objects.requireNonNullElse(document.getPaths(), Map.of());
		boolean rejected = false;
		for (Map.Entry<String, PathItem> path : paths.entrySet()) {
			addTo(path.getValue(), examples(this.prefix + path.getKey()), enforced);
			rejected |= path.getValue()
				.readOperationsMap()
				.values()
				.stream()
				.anyMatch(RejectionDocumentation::hasRejection);
		}

		if (rejected && !this.ownAnswer) {
			document.schema(PROBLEM, problem());
		}
	}

	private void addTo(PathItem path, List<String> examples, List<RateLimitRule> enforced) {
		path.readOperationsMap().forEach((method, operation) -> {
			if (enforced.stream().anyMatch((rule) -> appliesToAll(rule, method.name(), examples))) {
				addRejection(operation);
				addFields(operation);
			}
		});
	}

	private static boolean hasRejection(Operation operation) {
		ApiResponses responses = operation.getResponses();
		return responses != null && responses.containsKey(TOO_MANY_REQUESTS);
	}

	private static boolean appliesToAll(RateLimitRule rule, String method, List<String> examples) {
		return examples.stream().allMatch((example) -> rule.matches(request(method, example)));
	}

	private void addRejection(Operation operation) {
		if (operation.getResponses() == null) {
			operation.setResponses(new ApiResponses());
		}
		operation.getResponses().computeIfAbsent(TOO_MANY_REQUESTS, (status) -> rejection());
	}

	private void addFields(Operation operation) {
		Map<String, ApiResponse> responses = Objects.requireNonNullElse(operation.getResponses(), Map.of());
		responses.forEach((status, response) -> {
			if (!status.startsWith("3") && response.get$ref() == null) {
				addTo(response, status.equals(TOO_MANY_REQUESTS));
			}
		});
	}

	private ApiResponse rejection() {
		ApiResponse response = new ApiResponse().description("Too Many Requests");
		if (this.ownAnswer) {
			return response;
		}
		Schema<?> problem = new Schema<>().$ref("#/components/schemas/" + PROBLEM);
		return response
			.content(new Content().addMediaType("application/problem+json", new MediaType().schema(problem)));
	}

	private void addTo(ApiResponse response, boolean rejection) {
		Map<String, Header> known = Objects.requireNonNullElse(response.getHeaders(), Map.of());
		for (HeaderName name : this.fields) {
			if ((rejection || !name.isRetry()) && !known.containsKey(name.text())) {
				response.addHeaderObject(name.text(), header(name));
			}
		}
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
		Schema<?> schema = name.isList() ? new StringSchema() : new IntegerSchema();
		return new Header().description(description).schema(schema);
	}

	/*
	 * Finds paths that differ as much as any that a path such as /users/{id} stands for.
	 * A rule that matches all of these surely matches the operation; one that looks into
	 * a variable does not.
	 */
	private static List<String> examples(String template) {
		return Stream.of("0", "\uE000-\uE001", "z".repeat(300))
			.flatMap((value) -> Stream.of(value, value + "/" + value)
				.map((rest) -> VARIABLE.matcher(REST.matcher(template).replaceAll(rest)).replaceAll(value)))
			.distinct()
			.toList();
	}

	private static RequestedPath request(String method, String path) {
		return new RequestedPath(method, path, false) {

			@Override
			protected List<PathContainer> read() {
				return List.of(PathContainer.parsePath(path));
			}

		};
	}

}
