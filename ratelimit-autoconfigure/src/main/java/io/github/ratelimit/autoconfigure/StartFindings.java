package io.github.ratelimit.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.github.ratelimit.RateLimitMode;
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
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Says in one line what limits the application has, and finds what is configured without
 * effect: policies that nothing applies, rules that no filter enforces, overrides of
 * policies that do not exist, and a store that does not fit where the application runs.
 */
class StartFindings implements ApplicationListener<ApplicationStartedEvent> {

	/* What the names of all auto-configurations begin with. */
	private static final String OURS = StartFindings.class.getPackageName() + ".RateLimit";

	private static final Log logger = LogFactory.getLog(RateLimitAutoConfiguration.class);

	private static final String LOCAL = "caffeine";

	private final RateLimiterRegistry registry;

	private final RateLimitProperties properties;

	private final RateLimitFindings findings;

	StartFindings(RateLimiterRegistry registry, RateLimitProperties properties, RateLimitFindings findings) {
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
		return !rules.isEmpty() && !beanFactory.containsBean(RuleCompiler.BEAN_NAME);
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		ConfigurableApplicationContext context = event.getApplicationContext();
		sayWhatThereIs();
		findLocalStore(context.getEnvironment());
		findUnenforcedRules(context);
		findIgnoredProperties(context.getEnvironment());
		if (!isAskedByCode(context.getBeanFactory())) {
			findUnused();
		}
	}

	private void sayWhatThereIs() {
		int policies = this.registry.policies().size();
		if (policies > 0) {
			int inShadow = 0;
			for (RateLimiter limiter : this.registry.policies()) {
				inShadow += (limiter.policy().mode() == RateLimitMode.SHADOW) ? 1 : 0;
			}
			logger.info("Rate limits: " + ((policies == 1) ? "1 policy" : policies + " policies")
					+ ((inShadow > 0) ? " (" + inShadow + " only in shadow)" : "") + ", store: "
					+ this.registry.storeName());
		}
	}

	private void findLocalStore(Environment environment) {
		CloudPlatform platform = Deployment.platform(environment);
		if (platform != null && !this.registry.policies().isEmpty() && this.registry.storeName().equals(LOCAL)) {
			this.findings.report(FindingCode.LOCAL_STORE, null, "store", "The application runs on " + platform
					+ ", where there may be several instances, and each of them has budgets of its own.");
		}
	}

	private void findUnenforcedRules(BeanFactory beanFactory) {
		warnOfRules(this.properties.rules(), beanFactory);
		if (areUnenforced(this.properties.rules(), beanFactory)) {
			this.findings.note(FindingCode.UNENFORCED_RULES, null, "rules",
					"Nothing enforces ratelimit.rules, because this is not a servlet application.");
		}
	}

	private void findIgnoredProperties(Environment environment) {
		List<String> ignored = IgnoredOverrides.find(environment, this.properties.policies().keySet());
		if (!ignored.isEmpty()) {
			String text = "No policy has the properties " + String.join(", ", ignored) + ", which are ignored.";
			logger.warn(text + " A policy with a dash in its name must be in a file to be found by an "
					+ "environment variable, and one with a dot cannot be. Write a placeholder for its number, such as "
					+ "${LOGIN_LIMIT:5}, or as a system property its name in brackets.");
			this.findings.note(FindingCode.IGNORED_PROPERTIES, null, "properties", text);
		}
	}

	private void findUnused() {
		Set<String> unused = unused();
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
