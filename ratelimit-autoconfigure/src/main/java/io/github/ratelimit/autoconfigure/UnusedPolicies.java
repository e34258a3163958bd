package io.github.ratelimit.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Logs configuration that has no effect, at start-up: policies that nothing applies, and
 * rules where there is no filter to enforce them, and overrides of policies that do not
 * exist.
 */
class UnusedPolicies implements ApplicationListener<ApplicationStartedEvent> {

	/* What the names of all auto-configurations begin with. */
	private static final String OURS = UnusedPolicies.class.getPackageName() + ".RateLimit";

	private static final Log logger = LogFactory.getLog(UnusedPolicies.class);

	private final RateLimiterRegistry registry;

	private final RateLimitProperties properties;

	private final RateLimitFindings findings;

	UnusedPolicies(RateLimiterRegistry registry, RateLimitProperties properties, RateLimitFindings findings) {
		this.registry = registry;
		this.properties = properties;
		this.findings = findings;
	}

	/**
	 * Warns of rules that nothing enforces.
	 */
	static void warnOfRules(List<RateLimitProperties.Rule> rules, BeanFactory beanFactory) {
		if (areUnenforced(rules, beanFactory)) {
			logger.warn("Nothing enforces ratelimit.rules, because this is not a servlet application. Annotated "
					+ "methods are limited.");
		}
	}

	private static boolean areUnenforced(List<RateLimitProperties.Rule> rules, BeanFactory beanFactory) {
		return !rules.isEmpty() && !beanFactory.containsBean(RulesByPhase.BEAN_NAME);
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		warnOfRules(this.properties.rules(), event.getApplicationContext());
		if (areUnenforced(this.properties.rules(), event.getApplicationContext())) {
			this.findings.note(FindingCode.UNENFORCED_RULES, null, "rules",
					"Nothing enforces ratelimit.rules, because this is not a servlet application.");
		}
		List<String> ignored = IgnoredOverrides.find(event.getApplicationContext().getEnvironment(),
				this.properties.policies().keySet());
		if (!ignored.isEmpty()) {
			logger.warn("No policy has the properties " + String.join(", ", ignored)
					+ ", which are ignored. A policy with a dash in its name must be in a file to be found by an "
					+ "environment variable, and one with a dot cannot be. Write a placeholder for its number, such as "
					+ "${LOGIN_LIMIT:5}, or as a system property its name in brackets.");
			this.findings.note(FindingCode.IGNORED_PROPERTIES, null, "properties",
					"No policy has the properties " + String.join(", ", ignored) + ", which are ignored.");
		}
		Set<String> unused = isAskedByCode(event.getApplicationContext().getBeanFactory()) ? Set.of() : unused();
		if (!unused.isEmpty()) {
			logger.warn("No rule and no annotation applies the rate limit policies '" + String.join("', '", unused)
					+ "'. They only limit code that uses RateLimiterRegistry.");
		}
		for (String name : unused) {
			this.findings.note(FindingCode.UNUSED_POLICY, name, name,
					"No rule and no annotation applies the policy '" + name + "'.");
		}
	}

	/*
	 * Which policies code asks shows only when it does. Our own beans ask none.
	 */
	private static boolean isAskedByCode(ConfigurableListableBeanFactory beanFactory) {
		return Arrays.stream(beanFactory.getDependentBeans(RateLimitAutoConfiguration.REGISTRY))
			.anyMatch((bean) -> !isOurs(beanFactory, bean));
	}

	private static boolean isOurs(ConfigurableListableBeanFactory beanFactory, String name) {
		if (!beanFactory.containsBeanDefinition(name)) {
			return false;
		}
		BeanDefinition definition = beanFactory.getBeanDefinition(name);
		return isOurs(definition.getFactoryBeanName()) || isOurs(definition.getBeanClassName());
	}

	private static boolean isOurs(@Nullable String name) {
		return name != null && name.startsWith(OURS);
	}

	private Set<String> unused() {
		Set<String> names = new TreeSet<>();
		for (RateLimiter limiter : this.registry.policies()) {
			if (limiter.appliedTo().isEmpty()) {
				names.add(limiter.policy().name());
			}
		}
		for (RateLimitProperties.Rule rule : this.properties.rules()) {
			names.remove(String.valueOf(rule.policy()));
		}
		return names;
	}

}
