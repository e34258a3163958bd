package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimiterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Logs configuration that has no effect, at start-up: policies that nothing applies, and
 * rules where there is no filter to enforce them, and overrides of policies that do not
 * exist.
 */
class UnusedPolicies implements ApplicationListener<ApplicationStartedEvent> {

	private static final Log logger = LogFactory.getLog(UnusedPolicies.class);

	private final RateLimiterRegistry registry;

	private final RateLimitProperties properties;

	UnusedPolicies(RateLimiterRegistry registry, RateLimitProperties properties) {
		this.registry = registry;
		this.properties = properties;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		if (!this.properties.rules().isEmpty() && !event.getApplicationContext().containsBean(RulesByPhase.BEAN_NAME)) {
			logger.warn("Nothing enforces ratelimit.rules, because this is not a servlet application. Annotated "
					+ "methods are limited.");
		}
		List<String> ignored = IgnoredOverrides.find(event.getApplicationContext().getEnvironment(),
				this.properties.policies().keySet());
		if (!ignored.isEmpty()) {
			logger.warn("No policy has the properties " + String.join(", ", ignored)
					+ ", which are ignored. A policy with a dash in its name must be in a file to be found by an "
					+ "environment variable, and one with a dot cannot be. Write a placeholder for its number, such as "
					+ "${LOGIN_LIMIT:5}, or as a system property its name in brackets.");
		}
		Set<String> ruled = this.properties.rules()
			.stream()
			.map(RateLimitProperties.Rule::policy)
			.collect(Collectors.toSet());
		List<String> unused = this.registry.policies()
			.stream()
			.filter((policy) -> policy.appliedTo().isEmpty())
			.map((policy) -> policy.policy().name())
			.filter((name) -> !ruled.contains(name))
			.sorted()
			.map((name) -> "'" + name + "'")
			.toList();
		if (!unused.isEmpty()) {
			logger.warn("No rule and no annotation applies the rate limit policies " + String.join(", ", unused)
					+ ". They only limit code that uses RateLimiterRegistry.");
		}
	}

}
