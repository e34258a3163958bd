package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.findings.TrafficFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.RequestObserver;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.config.IntervalTask;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration for rate limits of any application: the policies, and the store that
 * holds their state.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnProperty(name = "ratelimit.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RateLimitProperties.class)
public final class RateLimitAutoConfiguration {

	/* Qualified, because other libraries register beans by the short name. */
	static final String REGISTRY = "io.github.ratelimit.RateLimiterRegistry";

	/* Name of the bean that the endpoint has if it keeps a history. */
	private static final String HISTORY_TASK = "rateLimitHistoryTask";

	/* As a text, because it is in a module that depends on this one. */
	private static final String MODELS = "io.github.ratelimit.ai.RateLimitAiAutoConfiguration";

	static final String REQUEST_TIMEOUT = "spring.mvc.async.request-timeout";

	@Bean
	static PropertyBinding rateLimitPropertyBinding() {
		checkSpringBoot(SpringBootVersion.getVersion());
		return new PropertyBinding();
	}

	/*
	 * Without this check, a class that Spring Boot 3 does not have would be missing
	 * somewhere. The properties are bound before any such class is used.
	 */
	static void checkSpringBoot(String version) {
		if (version.startsWith("3.") || version.startsWith("2.")) {
			throw InvalidRateLimitException.of("The starter for rate limits",
					"needs Spring Boot 4.1 or later, but the application has Spring Boot " + version,
					"Raise the version of Spring Boot to 4.1 or later, or remove the starter.", null);
		}
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitClock rateLimitClock() {
		return RateLimitClock.system();
	}

	/*
	 * The bean that says which plan a caller has is created with the application's other
	 * beans, and not before them, because it may need what is limited.
	 */
	@Bean
	ConfiguredPolicies rateLimitConfiguredPolicies(RateLimitProperties properties, ListableBeanFactory beanFactory,
			ObjectProvider<RateLimitPlanResolver> resolver) {
		String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, RateLimitPlanResolver.class,
				true, false);
		if (names.length == 0) {
			return new ConfiguredPolicies(properties, null);
		}
		return new ConfiguredPolicies(properties, resolver);
	}

	/*
	 * Does not back off, because the configured policies would be ignored.
	 */
	@Bean(REGISTRY)
	StoreRateLimiterRegistry rateLimiterRegistry(ObjectProvider<RateLimitStore> stores,
			ObjectProvider<RateLimitListener> listeners, RateLimitProperties properties, RateLimitClock clock,
			ConfiguredPolicies policies, Environment environment, ApplicationEventPublisher events) {
		checkEnabled(properties);
		checkModels(properties);
		RateLimitStore store = stores.getIfAvailable();
		if (store == null) {
			throw missingStore(environment.getProperty("ratelimit.store"), properties.store());
		}

		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(store, listeners.orderedStream().toList(),
				policies.planSettings(clock), properties.maximumOverrides(), observers(properties, clock));
		registry.observeThresholds(events::publishEvent);
		policies.forEach(properties, registry::register);
		return registry;
	}

	private static Function<RateLimitPolicy, @Nullable RequestObserver> observers(RateLimitProperties properties,
			RateLimitClock clock) {
		if (!properties.advised()) {
			return (policy) -> null;
		}
		return (policy) -> new ObservedTraffic(policy, clock);
	}

	/*
	 * Spring Boot reads a value with quotes or a space around it as that without them,
	 * but its conditions do not.
	 */
	private static InvalidRateLimitException missingStore(@Nullable String written,
			RateLimitProperties.StoreType store) {
		if ("".equals(written)) {
			return MistakenValue.empty("ratelimit.store");
		}
		if (written != null && !written.equalsIgnoreCase(store.name())) {
			return MistakenValue.unknown("ratelimit.store", written, RateLimitProperties.StoreType.class);
		}
		return switch (store) {
			case CAFFEINE -> missing("Caffeine is not on the class path", "com.github.ben-manes.caffeine:caffeine");
			case REDIS -> missingRedis();
		};
	}

	private static InvalidRateLimitException missingRedis() {
		if (!ClassUtils.isPresent("io.github.ratelimit.redis.RedisRateLimitStore", null)) {
			return missing("ratelimit.store is 'redis', but ratelimit-redis is not on the class path",
					"io.github.ratelimit:ratelimit-redis");
		}
		return missing("ratelimit.store is 'redis', but there is no connection to Redis",
				"org.springframework.boot:spring-boot-starter-data-redis");
	}

	private static InvalidRateLimitException missing(String reason, String dependency) {
		return InvalidRateLimitException.of("There is no store for rate limits:",
				reason + ", and there is no bean of type RateLimitStore",
				"Add the dependency " + dependency
						+ ", declare a bean of type RateLimitStore, or turn rate limits off with ratelimit.enabled=false.",
				null);
	}

	/*
	 * The condition above only recognizes "false". Without this check, "no" and "off"
	 * would have no effect.
	 */
	static void checkEnabled(RateLimitProperties properties) {
		if (!properties.enabled()) {
			throw InvalidRateLimitException.property("ratelimit.enabled", null,
					"is neither true nor false where that is decided",
					"Write false to turn all rate limits off, at the build if the application is built ahead of time.",
					null);
		}
	}

	/*
	 * An application that was built ahead of time has the store of its build. Without
	 * this check, its instances would not share a budget, and would not say so.
	 */
	static void checkStore(RateLimitProperties properties, RateLimitProperties.StoreType built,
			Environment environment) {
		RateLimitProperties.StoreType store = properties.store();
		if (store == built || !environment.containsProperty("ratelimit.store")) {
			return;
		}
		throw InvalidRateLimitException.property("ratelimit.store", name(store),
				"has no effect, because the application was built ahead of time with the store '" + name(built) + "'",
				"Build the application with ratelimit.store=" + name(store)
						+ ", or remove the property where the application runs.",
				null);
	}

	private static String name(RateLimitProperties.StoreType store) {
		return store.name().toLowerCase(Locale.ROOT);
	}

	private static void checkModels(RateLimitProperties properties) {
		if (properties.ai() != null && !ClassUtils.isPresent(MODELS, null)) {
			throw InvalidRateLimitException.property("ratelimit.ai", null,
					"limits chat models, but ratelimit-spring-ai is not on the class path",
					"Add the dependency io.github.ratelimit:ratelimit-spring-ai, or remove the property.", null);
		}
	}

	@Bean
	WaitingRoom rateLimitWaitingRoom(RateLimitClock clock, RateLimitProperties properties, ApplicationContext context) {
		Integer maximum = properties.maximumWaiting();
		if (maximum == null) {
			maximum = halfOfConnections(context);
		}
		return new WaitingRoom(clock, maximum);
	}

	private static int halfOfConnections(ApplicationContext context) {
		int connections = connections(context);
		return (connections > 0) ? Math.max(1, connections / 2) : 1000;
	}

	/*
	 * Spring Boot prefers Tomcat where both servers are present.
	 */
	private static int connections(ApplicationContext context) {
		Environment environment = context.getEnvironment();
		if (ClassUtils.isPresent("org.springframework.boot.tomcat.TomcatWebServer", context.getClassLoader())) {
			return environment.getProperty("server.tomcat.max-connections", Integer.class, 8192);
		}
		return environment.getProperty("server.jetty.max-connections", Integer.class, 0);
	}

	@Bean
	static PolicyBinder rateLimitPolicyBinder(ListableBeanFactory beanFactory, ObjectProvider<KeyResolver> resolvers,
			RateLimitProperties properties, RateLimitFindings findings) {
		return new PolicyBinder(beanFactory, resolvers.getIfUnique(), properties.key(), findings);
	}

	@Bean
	RateLimitFindings rateLimitFindings() {
		return new RateLimitFindings();
	}

	@Bean
	TrafficFindings rateLimitTrafficFindings(StoreRateLimiterRegistry registry, RateLimitClock clock,
			RateLimitFindings findings) {
		return new TrafficFindings(registry, clock, findings);
	}

	@Bean
	ConfiguredInterventions rateLimitConfiguredInterventions(RateLimitProperties properties,
			StoreRateLimiterRegistry registry, PolicyBinder binder, ObjectProvider<ClientAddressResolver> addresses) {
		return new ConfiguredInterventions(properties, registry, binder,
				(address) -> addresses.getObject().normalize(address));
	}

	@Bean
	RateLimitLifecycle rateLimitLifecycle(RateLimitProperties properties, StoreRateLimiterRegistry registry,
			ConfiguredPolicies policies, ConfiguredInterventions interventions, RateLimitFindings findings,
			TrafficFindings traffic, @Qualifier(HISTORY_TASK) ObjectProvider<IntervalTask> history) {
		return new RateLimitLifecycle(properties, registry, policies, interventions, findings, traffic, history);
	}

	/* Web applications and the endpoint need it. */
	@Bean
	@Lazy
	static ClientAddressResolver rateLimitClientAddressResolver(RateLimitProperties properties, Environment environment,
			RateLimitFindings findings) {
		RateLimitProperties.ClientAddress client = properties.clientAddress();
		if (!client.trustedProxies().isEmpty()) {
			checkNotForwarded(client, environment);
		}
		try {
			return new ClientAddressResolver(client.trustedProxies(), client.ipv6Prefix(), client.header(), findings);
		}
		catch (InvalidRateLimitException ex) {
			throw ex.inProperty("ratelimit.client-address");
		}
	}

	private static void checkNotForwarded(RateLimitProperties.ClientAddress properties, Environment environment) {
		String other = whoAppliesForwarded(environment);
		if (other != null) {
			throw InvalidRateLimitException.property("ratelimit.client-address.trusted-proxies",
					properties.trustedProxies(),
					"is set " + other + ", so that forwarded headers would be applied twice",
					"Remove trusted-proxies, or set server.forward-headers-strategy to none.", null);
		}
	}

	private static @Nullable String whoAppliesForwarded(Environment environment) {
		String strategy = environment.getProperty("server.forward-headers-strategy");
		if (strategy != null) {
			boolean none = strategy.equalsIgnoreCase("none");
			return none ? null : "together with server.forward-headers-strategy=" + strategy;
		}

		CloudPlatform platform = CloudPlatform.getActive(environment);
		if (platform == null || !platform.isUsingForwardHeaders()) {
			return null;
		}
		return "on " + platform + ", where the server replaces the client's address by default";
	}

	/*
	 * No policy may delay a request for longer. Without it, the server's default of 30
	 * seconds applies to asynchronous results of handlers, and the wait before a handler
	 * is not limited.
	 */
	static @Nullable Duration requestTimeout(Environment environment) {
		Duration timeout = Binder.get(environment).bind(REQUEST_TIMEOUT, Duration.class).orElse(null);
		return (timeout != null && timeout.compareTo(Duration.ZERO) > 0) ? timeout : null;
	}

	/* Only web applications need them. */
	@Bean
	@Lazy
	HeaderSettings rateLimitHeaders(RateLimitProperties properties, RateLimiterRegistry registry,
			RateLimitClock clock) {
		HeaderSettings headers = new HeaderSettings(properties.headers(), properties.exposeHeaders(),
				properties.headersReset(), properties.headersPolicyNames(), clock);
		registry.observe(headers::prepare);
		return headers;
	}

	@Bean
	@ConditionalOnClass(name = "com.github.benmanes.caffeine.cache.Cache")
	@ConditionalOnMissingBean(RateLimitStore.class)
	@ConditionalOnProperty(name = "ratelimit.store", havingValue = "caffeine", matchIfMissing = true)
	LocalRateLimitStore rateLimitStore(RateLimitClock clock, RateLimitProperties properties, Environment environment) {
		checkStore(properties, RateLimitProperties.StoreType.CAFFEINE, environment);
		return properties.caffeine().store(clock);
	}

	/* Only the endpoint needs it. */
	@Bean
	@Lazy
	@ConditionalOnClass(name = { "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
			"tools.jackson.databind.json.JsonMapper" })
	@ConditionalOnMissingBean
	OverrideReader rateLimitOverrideReader() {
		return new ConfiguredOverrides();
	}

}
