package io.github.ratelimit.autoconfigure;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;

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
		check(this.context);
	}

	/**
	 * Checks the contexts below this one, such as that of another dispatcher.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() != this.context) {
			check(event.getApplicationContext());
		}
	}

	private void check(ApplicationContext context) {
		if (this.rules.mayBeEnforced()) {
			BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
				.forEach(this::check);
		}
	}

	private void check(String name, HandlerMapping mapping) {
		if (mapping instanceof AbstractHandlerMapping known) {
			this.rules.checkMapping(name, known, known.getPatternParser(),
					"Let everything match by parsed patterns that agree about case: remove "
							+ "spring.mvc.pathmatch.matching-strategy, and of WebMvcConfigurer.configurePathMatch "
							+ "setPatternParser(null), setPathMatcher and setUrlPathHelper. Or limit handlers with "
							+ "@RateLimited and remove ratelimit.rules.");
		}
	}

}
