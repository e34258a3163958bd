package io.github.ratelimit.autoconfigure;

import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.policy.PolicyChange;
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
 */
final class RuleMatching
		implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent>, RulesInForce {

	private final ApplicationContext context;

	private final PathPatternParser parser;

	private final boolean ruled;

	/* What is wrong once there are rules. */
	private volatile @Nullable InvalidRateLimitException mistake;

	RuleMatching(ApplicationContext context, RateLimitProperties properties, @Nullable PathPatternParser parser) {
		this.context = context;
		this.ruled = !properties.rules().isEmpty();
		this.parser = (parser != null) ? parser : PathPatternParser.defaultInstance;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.ruled || MAY_CHANGE) {
			check(BeanFactoryUtils.beansOfTypeIncludingAncestors(this.context, HandlerMapping.class, true, false));
		}
	}

	/**
	 * Checks the contexts below this one, such as that of another dispatcher.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext other = event.getApplicationContext();
		if (other != this.context && (this.ruled || MAY_CHANGE)) {
			check(other.getBeansOfType(HandlerMapping.class, true, false));
		}
	}

	@Override
	public Runnable prepare(RateLimitProperties properties, Map<String, PolicyChange> changes) {
		InvalidRateLimitException mistake = this.mistake;
		if (mistake != null && !properties.rules().isEmpty()) {
			throw mistake;
		}
		return () -> {
		};
	}

	private void check(Map<String, HandlerMapping> mappings) {
		for (Map.Entry<String, HandlerMapping> each : mappings.entrySet()) {
			String reason = (each.getValue() instanceof AbstractHandlerMapping mapping)
					? difference(mapping.getPatternParser()) : null;
			if (reason != null) {
				this.mistake = InvalidRateLimitException.property("ratelimit.rules", null,
						"cannot be enforced, because the handler mapping '" + each.getKey() + "' of type "
								+ each.getValue().getClass().getName() + reason,
						"Let everything match by parsed patterns that agree about case: remove "
								+ "spring.mvc.pathmatch.matching-strategy, and of WebMvcConfigurer.configurePathMatch "
								+ "setPatternParser(null), setPathMatcher and setUrlPathHelper. Or limit handlers with "
								+ "@RateLimited and remove ratelimit.rules.",
						null);
				if (this.ruled) {
					throw this.mistake;
				}
			}
		}
	}

	private @Nullable String difference(@Nullable PathPatternParser parser) {
		if (parser == null) {
			return " matches paths as text, by spellings that no rule matches";
		}
		return (this.parser.isCaseSensitive() && !parser.isCaseSensitive()) ? " ignores case, which the rules do not"
				: null;
	}

}
