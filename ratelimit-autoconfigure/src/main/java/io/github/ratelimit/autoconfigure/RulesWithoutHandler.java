package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Finds rules whose path no handler serves, such as one that is misspelt.
 */
final class RulesWithoutHandler implements ApplicationListener<ApplicationStartedEvent> {

	private static final String SERVER_ENDPOINTS = "org.springframework.web.socket.server.standard.ServerEndpointExporter";

	private final RateLimitProperties properties;

	private final RateLimitFindings findings;

	private final boolean secured;

	RulesWithoutHandler(RateLimitProperties properties, RateLimitFindings findings, boolean secured) {
		this.properties = properties;
		this.findings = findings;
		this.secured = secured;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		if (this.properties.rules().isEmpty()
				|| !(event.getApplicationContext() instanceof WebApplicationContext context)
				|| !isServed(context.getServletContext())) {
			return;
		}
		HandledPaths handled = new HandledPaths();
		for (HandlerMapping mapping : BeanFactoryUtils
			.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
			.values()) {
			handled.add(mapping);
		}
		if (context.getServletContext() != null) {
			handled.add(context.getServletContext());
		}
		if (hasServerEndpoints(context)) {
			handled.addAll();
		}
		SecurityPaths security = this.secured ? SecurityPaths.find(context) : null;
		for (RateLimitProperties.Rule rule : this.properties.rules()) {
			if (!handled.contain(rule) && (security == null || !security.mayContain(String.valueOf(rule.path())))) {
				String text = RuleFindings.text(rule);
				this.findings.report(FindingCode.RULE_WITHOUT_HANDLER, rule.policy(), text,
						"The rule " + text + " matches no handler of Spring MVC, and no servlet.");
			}
		}
	}

	/*
	 * A test without a server has no servlets, and often only some of the handlers.
	 */
	private static boolean isServed(@Nullable ServletContext context) {
		return context == null || !context.getServletRegistrations().isEmpty();
	}

	/*
	 * WebSocket endpoints of Jakarta are behind a filter of the server.
	 */
	private static boolean hasServerEndpoints(WebApplicationContext context) {
		ClassLoader classLoader = RulesWithoutHandler.class.getClassLoader();
		return ClassUtils.isPresent(SERVER_ENDPOINTS, classLoader) && context
			.getBeanNamesForType(ClassUtils.resolveClassName(SERVER_ENDPOINTS, classLoader), true, false).length > 0;
	}

}
