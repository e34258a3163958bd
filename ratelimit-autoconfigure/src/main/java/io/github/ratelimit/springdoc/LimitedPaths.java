package io.github.ratelimit.springdoc;

import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.web.RateLimitRule;
import io.swagger.v3.oas.models.OpenAPI;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;

/**
 * Documents the operations that a rule surely applies to.
 */
final class LimitedPaths implements GlobalOpenApiCustomizer {

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

}
