package io.github.ratelimit.springdoc;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import io.swagger.v3.oas.models.PathItem;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.http.server.PathContainer;

/**
 * Creates what documents limited operations.
 *
 * @since 0.1.0
 */
public final class LimitedOperations {

	private static final Pattern REST = Pattern.compile("\\{\\*[^}]*}|\\*\\*");

	private static final Pattern VARIABLE = Pattern.compile("\\{[^}]*}|\\*");

	private final RejectionDocumentation documentation;

	/**
	 * Creates the documentation.
	 * @param families the families of header fields that are sent
	 * @param ownAnswer whether the application answers rejections itself
	 */
	public LimitedOperations(Collection<HeaderFamily> families, boolean ownAnswer) {
		this.documentation = new RejectionDocumentation(families, ownAnswer);
	}

	/**
	 * Documents annotated handlers.
	 * @param methods the limits of methods
	 * @return the customizer
	 */
	public GlobalOperationCustomizer ofHandlers(RateLimitedMethods methods) {
		return (operation, handler) -> {
			if (methods.isEnforced(handler.getMethod(), handler.getBeanType())) {
				this.documentation.addTo(operation);
			}
			return operation;
		};
	}

	/**
	 * Documents the operations that a rule surely applies to.
	 * @param rules the rules that are in force when a document is made
	 * @param prefix what the paths of rules begin with and those of operations do not
	 * @return the customizer
	 */
	public GlobalOpenApiCustomizer ofRules(Supplier<List<RateLimitRule>> rules, String prefix) {
		return (document) -> {
			List<RateLimitRule> enforced = rules.get().stream().filter(RateLimitRule::isEnforced).toList();
			Map<String, PathItem> paths = Objects.requireNonNullElse(document.getPaths(), Map.of());
			paths.forEach((path, item) -> {
				List<String> examples = examples(prefix + path);
				item.readOperationsMap().forEach((method, operation) -> {
					if (enforced.stream()
						.anyMatch((rule) -> examples.stream()
							.allMatch((example) -> rule.matches(new Example(method.name(), example))))) {
						this.documentation.addTo(operation);
					}
				});
			});
			this.documentation.addSchema(document);
		};
	}

	/*
	 * Paths that differ as much as any that a path such as /users/{id} stands for. A rule
	 * that matches all of these surely matches the operation; one that looks into a
	 * variable does not.
	 */
	private static List<String> examples(String template) {
		return Stream.of("0", "\uE000-\uE001", "z".repeat(300))
			.flatMap((value) -> Stream.of(value, value + "/" + value)
				.map((rest) -> VARIABLE.matcher(REST.matcher(template).replaceAll(rest)).replaceAll(value)))
			.distinct()
			.toList();
	}

	/**
	 * A path that can be read in one way only.
	 */
	private static final class Example extends RequestedPath {

		private final PathContainer path;

		Example(String method, String path) {
			super(method, path, false);
			this.path = PathContainer.parsePath(path);
		}

		@Override
		protected List<PathContainer> read() {
			return List.of(this.path);
		}

	}

}
