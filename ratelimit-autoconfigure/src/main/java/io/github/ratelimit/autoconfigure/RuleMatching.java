package io.github.ratelimit.autoconfigure;

import java.util.Map;
import java.util.function.Supplier;

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

	private static final String STRATEGY = "spring.mvc.pathmatch.matching-strategy";

	private final ApplicationContext context;

	private final PathPatternParser parser;

	private final boolean ruled;

	/* What is wrong once there are rules. */
	private volatile @Nullable InvalidRateLimitException mistake;

	RuleMatching(ApplicationContext context, RateLimitProperties properties, PathPatternParser parser) {
		this.context = context;
		this.ruled = !properties.rules().isEmpty();
		this.parser = parser;
	}

	@Override
	public void afterSingletonsInstantiated() {
		check(() -> BeanFactoryUtils.beansOfTypeIncludingAncestors(this.context, HandlerMapping.class, true, false));
	}

	/**
	 * Checks the contexts below this one, such as that of another dispatcher.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext other = event.getApplicationContext();
		if (other != this.context) {
			check(() -> other.getBeansOfType(HandlerMapping.class, true, false));
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

	private void check(Supplier<Map<String, HandlerMapping>> mappings) {
		if (!this.ruled && !MAY_CHANGE) {
			return;
		}
		try {
			mappings.get().forEach((name, mapping) -> {
				if (mapping instanceof AbstractHandlerMapping matching) {
					check(name, matching, matching.getPatternParser());
				}
			});
		}
		catch (InvalidRateLimitException ex) {
			if (this.ruled) {
				throw ex;
			}
			this.mistake = ex;
		}
	}

	private void check(String name, AbstractHandlerMapping mapping, @Nullable PathPatternParser parser) {
		String subject = "the handler mapping '" + name + "' of type " + mapping.getClass().getName();
		if (parser == null) {
			throw matchesText(subject);
		}
		if (this.parser.isCaseSensitive() && !parser.isCaseSensitive()) {
			throw InvalidRateLimitException.property("ratelimit.rules", null,
					"cannot be enforced, because " + subject + " ignores case, which the rules do not",
					"Let everything ignore case, by a PathPatternParser that a WebMvcConfigurer sets in "
							+ "configurePathMatch, or nothing.",
					null);
		}
	}

	private InvalidRateLimitException matchesText(String subject) {
		String strategy = this.context.getEnvironment().getProperty(STRATEGY);
		String reason = "lets the rules of ratelimit.rules be bypassed, because " + subject
				+ " matches paths as text, by spellings that no rule matches";
		String alternative = "Or limit handlers with @RateLimited and remove ratelimit.rules.";
		if (strategy != null && strategy.replaceAll("[^A-Za-z]", "").equalsIgnoreCase("antpathmatcher")) {
			return InvalidRateLimitException.property(STRATEGY, strategy, reason,
					"Remove " + STRATEGY + ", so that paths are matched by parsed patterns. " + alternative, null);
		}
		return InvalidRateLimitException.property("ratelimit.rules", null,
				"cannot be enforced, because " + subject + " matches paths as text, by spellings that no rule matches",
				"Let it match by parsed patterns: give it a PathPatternParser, and remove setPatternParser(null), "
						+ "setPathMatcher and setUrlPathHelper from configurePathMatch of WebMvcConfigurer. "
						+ alternative,
				null);
	}

}
