package io.github.ratelimit.autoconfigure;

import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Fails start-up where rules could be bypassed, because a handler mapping accepts
 * spellings of a path that no rule matches. A mapping that matches paths as text decodes
 * them in the charset that the client names, and one that ignores case serves paths that
 * a rule spells differently. Mappings of other kinds read paths as rules do.
 *
 * @param context the application
 * @param rules its rules
 */
record RuleMatching(ApplicationContext context,
		RuleCompiler rules) implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	@Override
	public void afterSingletonsInstantiated() {
		if (this.rules.mayBeEnforced()) {
			check(BeanFactoryUtils.beansOfTypeIncludingAncestors(this.context, HandlerMapping.class, true, false));
		}
	}

	/**
	 * Checks the contexts below this one, such as that of another dispatcher.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext other = event.getApplicationContext();
		if (other != this.context && this.rules.mayBeEnforced()) {
			check(other.getBeansOfType(HandlerMapping.class, true, false));
		}
	}

	private void check(Map<String, HandlerMapping> mappings) {
		for (Map.Entry<String, HandlerMapping> each : mappings.entrySet()) {
			String reason = (each.getValue() instanceof AbstractHandlerMapping mapping)
					? difference(mapping.getPatternParser()) : null;
			if (reason != null) {
				this.rules.fail(InvalidRateLimitException.property("ratelimit.rules", null,
						"cannot be enforced, because the handler mapping '" + each.getKey() + "' of type "
								+ each.getValue().getClass().getName() + reason,
						"Let everything match by parsed patterns that agree about case: remove "
								+ "spring.mvc.pathmatch.matching-strategy, and of WebMvcConfigurer.configurePathMatch "
								+ "setPatternParser(null), setPathMatcher and setUrlPathHelper. Or limit handlers with "
								+ "@RateLimited and remove ratelimit.rules.",
						null));
			}
		}
	}

	private @Nullable String difference(@Nullable PathPatternParser parser) {
		if (parser == null) {
			return " matches paths as text, by spellings that no rule matches";
		}
		return (this.rules.parser.isCaseSensitive() && !parser.isCaseSensitive())
				? " ignores case, which the rules do not" : null;
	}

}
