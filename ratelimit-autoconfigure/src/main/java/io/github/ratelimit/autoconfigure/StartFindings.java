package io.github.ratelimit.autoconfigure;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

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
	 * Finds rules that nothing enforces.
	 */
	static void findUnenforced(List<RateLimitProperties.Rule> rules, BeanFactory beanFactory,
			RateLimitFindings findings) {
		if (!rules.isEmpty() && !beanFactory.containsBean(RuleCompiler.BEAN_NAME)) {
			findings.report(FindingCode.UNENFORCED_RULES, null, "rules",
					"Nothing enforces ratelimit.rules, because this is not a servlet application.");
		}
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		ConfigurableApplicationContext context = event.getApplicationContext();
		Collection<? extends RateLimiter> policies = this.registry.policies();
		if (!policies.isEmpty()) {
			sayWhatThereIs(policies);
			findLocalStore(Deployment.platform(context.getEnvironment()));
		}
		findUnenforced(this.properties.rules(), context, this.findings);
		List<String> ignored = IgnoredOverrides.find(context.getEnvironment(), this.properties.policies().keySet());
		if (!ignored.isEmpty()) {
			this.findings.report(FindingCode.IGNORED_PROPERTIES, null, "properties",
					"No policy has the properties " + String.join(", ", ignored) + ", which are ignored.");
		}
		if (!isAskedByCode(context.getBeanFactory())) {
			findUnused(policies);
		}
	}

	private void sayWhatThereIs(Collection<? extends RateLimiter> policies) {
		long inShadow = policies.stream().filter((limiter) -> limiter.policy().mode() == RateLimitMode.SHADOW).count();
		logger.info("Rate limits: " + ((policies.size() == 1) ? "1 policy" : policies.size() + " policies")
				+ ((inShadow > 0) ? " (" + inShadow + " only in shadow)" : "") + ", store: "
				+ this.registry.storeName());
	}

	private void findLocalStore(@Nullable CloudPlatform platform) {
		if (platform != null && this.registry.storeName().equals(LOCAL)) {
			this.findings.report(FindingCode.LOCAL_STORE, null, "store", "The application runs on " + platform
					+ ", where there may be several instances, and each of them has budgets of its own.");
		}
	}

	private void findUnused(Collection<? extends RateLimiter> policies) {
		policies.stream()
			.filter((limiter) -> limiter.appliedTo().isEmpty())
			.map((limiter) -> limiter.policy().name())
			.filter((name) -> this.properties.rules().stream().noneMatch((rule) -> name.equals(rule.policy())))
			.sorted()
			.forEach((name) -> this.findings.report(FindingCode.UNUSED_POLICY, name, name,
					"No rule and no annotation applies the policy '" + name + "'."));
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

}
