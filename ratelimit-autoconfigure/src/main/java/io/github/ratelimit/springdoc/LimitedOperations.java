package io.github.ratelimit.springdoc;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.http.server.PathContainer;
import org.springframework.web.method.HandlerMethod;

/**
 * Creates what documents limited operations.
 *
 * @since 0.1.0
 */
public final class LimitedOperations {

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
		return new LimitedHandlers(methods, this.documentation);
	}

	/**
	 * Documents what rules apply to.
	 * @param rules the rules that are in force when a document is made
	 * @param prefix what the paths of rules begin with and those of operations do not
	 * @return the customizer
	 */
	public GlobalOpenApiCustomizer ofRules(Supplier<List<RateLimitRule>> rules, String prefix) {
		return new LimitedPaths(rules, prefix, this.documentation);
	}

	/**
	 * Documents the operations of annotated handlers.
	 */
	static final class LimitedHandlers implements GlobalOperationCustomizer {

		private final RateLimitedMethods methods;

		private final RejectionDocumentation documentation;

		LimitedHandlers(RateLimitedMethods methods, RejectionDocumentation documentation) {
			this.methods = methods;
			this.documentation = documentation;
		}

		@Override
		public Operation customize(Operation operation, HandlerMethod handler) {
			if (this.methods.isEnforced(handler.getMethod(), handler.getBeanType())) {
				this.documentation.addTo(operation);
			}
			return operation;
		}

	}

	/**
	 * Documents the operations that a rule surely applies to.
	 */
	private static final class LimitedPaths implements GlobalOpenApiCustomizer {

		private final Supplier<List<RateLimitRule>> rules;

		private final String prefix;

		private final RejectionDocumentation documentation;

		/**
		 * Creates the customizer.
		 * @param rules the rules that are in force
		 * @param prefix what the paths of rules begin with and those of operations do not
		 * @param documentation what to add
		 */
		LimitedPaths(Supplier<List<RateLimitRule>> rules, String prefix, RejectionDocumentation documentation) {
			this.rules = rules;
			this.prefix = prefix;
			this.documentation = documentation;
		}

		@Override
		public void customise(OpenAPI document) {
			List<RateLimitRule> rules = this.rules.get().stream().filter(RateLimitRule::isEnforced).toList();
			if (document.getPaths() != null) {
				document.getPaths().forEach((path, item) -> {
					PathTemplate template = new PathTemplate(this.prefix + path);
					item.readOperationsMap().forEach((method, operation) -> {
						if (rules.stream().anyMatch((rule) -> template.isCoveredBy(rule, method.name()))) {
							this.documentation.addTo(operation);
						}
					});
				});
			}
			this.documentation.addSchema(document);
		}

		/**
		 * The path of an operation, such as <code>/users/{id}</code>, and paths that
		 * differ as much as any that it stands for. A rule that matches all of these
		 * surely matches the operation; one that looks into a variable does not.
		 */
		static final class PathTemplate {

			private static final Pattern REST = Pattern.compile("\\{\\*[^}]*}|\\*\\*");

			private static final Pattern VARIABLE = Pattern.compile("\\{[^}]*}|\\*");

			private final List<RequestedPath> examples;

			PathTemplate(String template) {
				this.examples = Stream.of("0", "\uE000-\uE001", "z".repeat(300))
					.flatMap((value) -> Stream.of(value, value + "/" + value)
						.map((rest) -> VARIABLE.matcher(REST.matcher(template).replaceAll(rest)).replaceAll(value)))
					.distinct()
					.<RequestedPath>map(Example::of)
					.toList();
			}

			boolean isCoveredBy(RateLimitRule rule, String method) {
				return this.examples.stream().allMatch((example) -> rule.matches(method, example));
			}

			/**
			 * A path that can be read in one way only.
			 */
			private record Example(PathContainer parsed) implements RequestedPath {

				static Example of(String path) {
					return new Example(PathContainer.parsePath(path));
				}

				@Override
				public @Nullable String text() {
					return null;
				}

				@Override
				public List<PathContainer> readings() {
					return List.of();
				}

			}

		}

	}

}
