package io.github.ratelimit.autoconfigure;

import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.Environment;

/**
 * Removes at start-up the beans whose {@link RunTimeCondition} does not hold, for
 * applications that were built ahead of time. Where rate limits are turned off, registers
 * a {@link RateLimiterRegistry} that allows all requests.
 */
class RunTimeSwitch implements BeanDefinitionRegistryPostProcessor, PriorityOrdered {

	/*
	 * Qualified, because other libraries register beans by the short name.
	 */
	static final String REGISTRY = "io.github.ratelimit.RateLimiterRegistry";

	static final String PRINCIPAL_FILTER = "rateLimitPrincipalFilter";

	private static final Log logger = LogFactory.getLog(RunTimeSwitch.class);

	/* Prefix of the names of all auto-configurations and of the properties. */
	private static final String OURS = RunTimeSwitch.class.getPackageName() + ".RateLimit";

	private static final String LOCAL = OURS + "AutoConfiguration$LocalStoreConfiguration";

	private static final String REDIS = OURS + "RedisAutoConfiguration";

	private static final String LOCAL_BESIDE_REDIS = REDIS + "$LocalStoreConfiguration";

	private static final String HEALTH = OURS + "HealthAutoConfiguration";

	private final Environment environment;

	RunTimeSwitch(Environment environment) {
		this.environment = environment;
	}

	/*
	 * Before all others, so that none of ours runs.
	 */
	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		if (!RunTimeChoices.areOpen() && !RunTimeChoices.isEnabled(this.environment)) {
			remove(registry, (name) -> isOf(registry, name, OURS));
		}
	}

	/*
	 * Beans of other libraries are registered by now.
	 */
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (RunTimeChoices.areOpen()) {
			return;
		}
		BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
		if (!RunTimeChoices.isEnabled(this.environment)) {
			registerIfMissing(beanFactory, "rateLimitClock", RateLimitClock.class, RateLimitClock::system);
			registerIfMissing(beanFactory, REGISTRY, RateLimiterRegistry.class, () -> StoreRateLimiterRegistry
				.unlimited(beanFactory.getBeanProvider(RateLimitClock.class).getIfUnique(RateLimitClock::system)));
			say(beanFactory.getParentBeanFactory());
			return;
		}
		chooseStore(registry, beanFactory);
		if (!RunTimeChoices.mayHaveRules(this.environment)) {
			remove(registry, PRINCIPAL_FILTER::equals);
		}
	}

	private void chooseStore(BeanDefinitionRegistry registry, ConfigurableListableBeanFactory beanFactory) {
		if (RunTimeChoices.isInRedis(this.environment)) {
			remove(registry, (name) -> isOf(registry, name, LOCAL) || isOf(registry, name, LOCAL_BESIDE_REDIS));
		}
		else {
			remove(registry, (name) -> isOf(registry, name, REDIS) && !isOf(registry, name, LOCAL_BESIDE_REDIS));
		}
		if (isMissing(beanFactory, RateLimitStoreAvailability.class)) {
			remove(registry, (name) -> isOf(registry, name, HEALTH));
		}
	}

	static boolean isOurs(ConfigurableListableBeanFactory beanFactory, String name) {
		return beanFactory.containsBeanDefinition(name) && isOf((BeanDefinitionRegistry) beanFactory, name, OURS);
	}

	private static boolean isOf(BeanDefinitionRegistry registry, String name, String source) {
		BeanDefinition definition = registry.getBeanDefinition(name);
		return begins(definition.getFactoryBeanName(), source) || begins(definition.getBeanClassName(), source);
	}

	private static boolean begins(@Nullable String name, String source) {
		return name != null && name.startsWith(source);
	}

	private static void remove(BeanDefinitionRegistry registry, Predicate<String> names) {
		for (String name : registry.getBeanDefinitionNames()) {
			if (names.test(name)) {
				registry.removeBeanDefinition(name);
			}
		}
	}

	private static <T> void registerIfMissing(ConfigurableListableBeanFactory beanFactory, String name, Class<T> type,
			Supplier<T> instance) {
		if (isMissing(beanFactory, type)) {
			((BeanDefinitionRegistry) beanFactory).registerBeanDefinition(name, new RootBeanDefinition(type, instance));
		}
	}

	private static boolean isMissing(ConfigurableListableBeanFactory beanFactory, Class<?> type) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false).length == 0;
	}

	/*
	 * Once in a hierarchy of contexts.
	 */
	private static void say(@Nullable BeanFactory parent) {
		if (parent == null || !parent.containsBean(REGISTRY)) {
			logger.warn("Rate limits are turned off, because ratelimit.enabled is false: annotations and rules have no "
					+ "effect, and RateLimiterRegistry allows all requests.");
		}
	}

}
