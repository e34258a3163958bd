package io.github.ratelimit.autoconfigure;

import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.RateLimitEndpointAutoConfiguration;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Logs in one line what limits the application has, and finds what is configured without
 * effect: policies that nothing applies, rules that no filter enforces, overrides of
 * policies that do not exist, and a store that does not fit where the application runs.
 *
 * @param context the application, which has just started
 * @param properties its properties
 * @param registry its policies
 * @param findings takes what is found
 */
record StartFindings(ConfigurableApplicationContext context, RateLimitProperties properties,
		RateLimiterRegistry registry, RateLimitFindings findings) {

	/* The names of all auto-configurations begin with it. */
	private static final String ROOT = RateLimiter.class.getPackageName() + ".";

	private static final String CAFFEINE_IS_CHOSEN = "org.springframework.boot.cache.autoconfigure."
			+ "CaffeineCacheConfiguration";

	private static final String PLATFORM = "spring.main.cloud-platform";

	private static final String TEST_PROPERTIES = "Inlined Test Properties";

	private static final Log logger = LogFactory.getLog(RateLimitAutoConfiguration.class);

	void report() {
		Collection<? extends RateLimiter> policies = this.registry.policies();
		if (!policies.isEmpty()) {
			logWhatThereIs(policies);
			reportLocalStore();
		}

		reportUnenforced(this.properties.rules(), this.context, this.findings);
		reportIgnored();
		reportMisplaced();
		reportUnread();
		if (!isAskedByCode(this.context.getBeanFactory())) {
			reportUnused(policies);
		}
		if (this.context.containsBean(RuleCompiler.BEAN_NAME)) {
			new WebFindings(this.context, this.properties, this.registry, this.findings).report();
		}
		if (this.context.containsBean("rateLimitsEndpointWebExtension")) {
			reportOpenEndpoint();
			reportReserved();
		}

		logWhoseCachesAreCaffeine(this.context.getEnvironment());
	}

	private void logWhatThereIs(Collection<? extends RateLimiter> policies) {
		String noun = (policies.size() == 1) ? " policy" : " policies";
		StringBuilder text = new StringBuilder("Rate limits: ").append(policies.size()).append(noun);
		long inShadow = policies.stream().filter((limiter) -> limiter.policy().mode() == RateLimitMode.SHADOW).count();
		if (inShadow > 0) {
			text.append(" (").append(inShadow).append(" only in shadow)");
		}
		logger.info(text.append(", store: ").append(this.registry.storeName()).toString());
	}

	private void reportLocalStore() {
		CloudPlatform platform = platform(this.context.getEnvironment());
		if (platform != null && this.registry.storeName().equals("caffeine")) {
			this.findings.report(FindingCode.LOCAL_STORE, null, "store", "The application runs on " + platform
					+ ", where there may be several instances, and each of them has budgets of its own.");
		}
	}

	private void reportIgnored() {
		List<String> ignored = PropertyNames.findIgnored(this.context.getEnvironment(), this.properties.policies());
		if (!ignored.isEmpty()) {
			this.findings.report(FindingCode.IGNORED_PROPERTIES, null, "properties",
					"Rate limits have no properties " + String.join(", ", ignored) + ", which are ignored.");
		}
	}

	private void reportMisplaced() {
		List<String> misplaced = PropertyNames.findMisplaced(this.context.getEnvironment());
		if (!misplaced.isEmpty()) {
			this.findings.report(FindingCode.IGNORED_PROPERTIES, null, "prefix", "Rate limits do not read "
					+ String.join(", ", misplaced) + ": the names of their properties begin with 'ratelimit'.");
		}
	}

	private void reportUnread() {
		String store = this.registry.storeName();
		List<String> unread = PropertyNames.findUnread(this.context.getEnvironment(), store);
		if (!unread.isEmpty()) {
			this.findings.report(FindingCode.UNUSED_STORE_PROPERTIES, null, "unread",
					"The store is '" + store + "', which does not read " + String.join(", ", unread) + ".");
		}
	}

	/**
	 * Reports rules that nothing enforces.
	 */
	static void reportUnenforced(List<RateLimitProperties.Rule> rules, BeanFactory beanFactory,
			RateLimitFindings findings) {
		if (!rules.isEmpty() && !beanFactory.containsBean(RuleCompiler.BEAN_NAME)) {
			findings.report(FindingCode.UNENFORCED_RULES, null, "rules",
					"Nothing enforces ratelimit.rules, because this is no web application.");
		}
	}

	/*
	 * Whether code may ask policies. It shows which ones only when it does. Our own beans
	 * ask none.
	 */
	private static boolean isAskedByCode(ConfigurableListableBeanFactory beanFactory) {
		for (String bean : beanFactory.getDependentBeans(RateLimitAutoConfiguration.REGISTRY)) {
			boolean ours = beanFactory.containsBeanDefinition(bean)
					&& isOurs(beanFactory.getBeanDefinition(bean).getFactoryBeanName());
			if (!ours) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOurs(@Nullable String configuration) {
		return configuration != null && configuration.startsWith(ROOT)
				&& ClassUtils.getShortName(configuration).startsWith("RateLimit");
	}

	private void reportUnused(Collection<? extends RateLimiter> policies) {
		Set<String> ruled = this.properties.rules()
			.stream()
			.map(RateLimitProperties.Rule::policy)
			.filter(Objects::nonNull)
			.collect(Collectors.toSet());
		for (RateLimiter limiter : policies) {
			String name = limiter.policy().name();
			if (limiter.appliedTo().isEmpty() && !ruled.contains(name)) {
				this.findings.report(FindingCode.UNUSED_POLICY, name, name,
						"No rule and no annotation applies the policy '" + name + "'.");
			}
		}
	}

	/*
	 * Anybody can change limits if others than the developer reach the application, and
	 * the endpoint can be written on the same port, without Spring Security.
	 */
	private void reportOpenEndpoint() {
		EndpointAccessResolver access = this.context.getBeanProvider(EndpointAccessResolver.class).getIfAvailable();
		if (!WebFindings.isSecured(this.context) && RateLimitEndpointAutoConfiguration.isWritable(access)
				&& ManagementPortType.get(this.context.getEnvironment()) == ManagementPortType.SAME
				&& isReachedByOthers(this.context.getEnvironment(), this.properties)) {
			this.findings.report(FindingCode.OPEN_ENDPOINT, null, "endpoint",
					"Whoever reaches the application can reset keys and change limits, because the endpoint "
							+ "'ratelimits' can be written without Spring Security.");
		}
	}

	private void reportReserved() {
		for (String name : List.of("page", "history", "simulate", "exempt", "deny")) {
			if (this.registry.find(name) != null) {
				this.findings.report(FindingCode.RESERVED_NAME, name, name,
						"The policy '" + name + "' has a name that the endpoint 'ratelimits' uses itself.");
			}
		}
	}

	/*
	 * Caffeine may be on the class path for rate limits only, and Spring Boot cannot
	 * tell.
	 */
	private void logWhoseCachesAreCaffeine(Environment environment) {
		if (this.context.containsBeanDefinition(CAFFEINE_IS_CHOSEN)
				&& !environment.containsProperty("spring.cache.type")
				&& !environment.containsProperty("spring.cache.caffeine.spec")
				&& !environment.containsProperty("spring.cache.caffeine.async")) {
			logger.info("Spring Boot has chosen Caffeine for the caches of this application. If Caffeine is on the "
					+ "class path only because of rate limits, set spring.cache.type=simple to have the same caches as "
					+ "without it. Otherwise set spring.cache.type=caffeine to confirm the choice.");
		}
	}

	/**
	 * The platform that the application runs on.
	 * @return the platform, or {@code null} if none is recognized, or it is a test that
	 * runs there, which is no deployment
	 */
	static @Nullable CloudPlatform platform(Environment environment) {
		CloudPlatform platform = CloudPlatform.getActive(environment);
		if (platform == CloudPlatform.NONE) {
			return null;
		}
		/* Spring's test framework adds the properties of a test under this name. */
		boolean test = environment instanceof ConfigurableEnvironment configurable
				&& configurable.getPropertySources().contains(TEST_PROPERTIES);
		boolean chosen = environment.containsProperty(PLATFORM);
		return (test && !chosen) ? null : platform;
	}

	/**
	 * Whether others than the developer reach the application: it runs on a platform, or
	 * behind a proxy.
	 */
	static boolean isReachedByOthers(Environment environment, RateLimitProperties properties) {
		String strategy = environment.getProperty("server.forward-headers-strategy", "none");
		boolean proxied = !properties.clientAddress().trustedProxies().isEmpty() || !strategy.equalsIgnoreCase("none");
		boolean local = Binder.get(environment)
			.bind("server.address", InetAddress.class)
			.map(InetAddress::isLoopbackAddress)
			.orElse(false);
		return (proxied || platform(environment) != null) && !local;
	}

}
