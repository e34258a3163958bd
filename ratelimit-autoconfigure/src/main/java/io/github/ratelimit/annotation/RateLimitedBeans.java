package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.lang.Contract;
import org.springframework.util.ClassUtils;

/**
 * Checks the type of every bean once at start-up, so that every annotated method is known
 * before the first call, and every mistake fails start-up: also a bean that has not met
 * the bean post-processor, or is in a context that has none, and so would not be limited.
 *
 * @since 0.1.0
 */
public final class RateLimitedBeans implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	/** Name of the bean, by which contexts are known that check their own beans. */
	public static final String BEAN_NAME = "rateLimitedBeans";

	private static final Log logger = LogFactory.getLog(RateLimitedBeans.class);

	private final ConfigurableApplicationContext context;

	private final LimitedTypeCheck check;

	private final RateLimitedBeanPostProcessor processor;

	private final EarlyBeans earlyBeans;

	/**
	 * Creates the check.
	 * @param context the context whose beans are checked
	 * @param methods the annotated methods, to which those of the beans are added
	 * @param processor knows which beans it has seen and which methods a proxy intercepts
	 * @param earlyBeans knows the beans that were made before all post-processors
	 * @param virtualThreads whether requests are served by virtual threads, which may
	 * wait
	 * @param requestTimeout the time-out of asynchronous requests, or {@code null} for
	 * the server's default
	 */
	public RateLimitedBeans(ConfigurableApplicationContext context, RateLimitedMethods methods,
			RateLimitedBeanPostProcessor processor, EarlyBeans earlyBeans, boolean virtualThreads,
			@Nullable Duration requestTimeout) {
		this.context = context;
		this.check = new LimitedTypeCheck(methods, processor.interception(), virtualThreads, requestTimeout);
		this.processor = processor;
		this.earlyBeans = earlyBeans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		Set<Class<?>> present = this.processor.types(this.check::check);
		present.addAll(types(beanFactory).values());
		// In an order of their own, all instances of an application number policies
		// alike.
		List<Class<?>> ordered = new ArrayList<>(present);
		ordered.sort(Comparator.comparing(Class::getName));
		for (Class<?> type : ordered) {
			this.check.check(type);
		}
		for (String beanName : beanFactory.getSingletonNames()) {
			rejectUnprocessed(beanFactory, beanName);
		}
	}

	/*
	 * Those that the bean post-processor has not seen. An object that was registered in
	 * place of a bean that is defined is there by intention, as the mock of a test is.
	 */
	private void rejectUnprocessed(ConfigurableListableBeanFactory beanFactory, String beanName) {
		boolean registered = !beanFactory.containsBeanDefinition(beanName);
		Object bean = (registered || this.earlyBeans.isEarlier(beanName)) ? beanFactory.getSingleton(beanName) : null;
		if (bean == null || bean instanceof AopInfrastructureBean || RateLimitedAdvisor.limits(bean)) {
			return;
		}
		this.check.rejectUnproxied(ClassUtils.getUserClass(AopUtils.getTargetClass(bean)),
				"the bean '" + beanName + "' "
						+ (registered ? "was registered as an object, which post-processors do not see"
								: "is made before all post-processors, for one that changes bean definitions"),
				registered ? "Register a bean definition with a supplier of the object instead of a singleton."
						: "Declare what needs the bean by a static @Bean method, and let it ask an ObjectProvider for "
								+ "the bean when it first uses it; or call RateLimiterRegistry by hand there.");
	}

	/*
	 * Events of a context reach the listeners of its ancestors too. A context without a
	 * bean post-processor of ours is checked by its nearest ancestor that checks its own
	 * beans, or by the descendant. Web handlers in it are limited before they are called;
	 * other annotated methods would not be limited.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext refreshed = event.getApplicationContext();
		if (refreshed == this.context) {
			for (ApplicationContext each = refreshed.getParent(); isUnchecked(each); each = each.getParent()) {
				rejectAll(each);
			}
			return;
		}
		ApplicationContext nearest = refreshed;
		while (isUnchecked(nearest)) {
			nearest = nearest.getParent();
		}
		if (nearest == this.context) {
			rejectAll(refreshed);
		}
	}

	@Contract("null -> false")
	private static boolean isUnchecked(@Nullable ApplicationContext context) {
		return context != null && !context.containsLocalBean(BEAN_NAME);
	}

	private void rejectAll(ApplicationContext context) {
		if (context instanceof ConfigurableApplicationContext configurable) {
			types(configurable.getBeanFactory()).forEach((beanName, type) -> this.check.rejectUnproxied(type,
					"the bean '" + beanName + "' is in the context '" + context.getDisplayName()
							+ "', which has no rate limits of its own",
					"Add @ImportAutoConfiguration(RateLimitMethodAutoConfiguration.class) to that context's "
							+ "configuration, or move the bean."));
		}
	}

	/*
	 * The classes of all beans that may have limited methods, by name.
	 */
	private static Map<String, Class<?>> types(ConfigurableListableBeanFactory beanFactory) {
		Map<String, Class<?>> types = new LinkedHashMap<>();
		for (String beanName : beanFactory.getBeanNamesForType(Object.class, true, false)) {
			try {
				Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, beanName);
				if (type != null && RateLimitedAnnotations.isCandidate(type)) {
					types.put(beanName, ClassUtils.getUserClass(type));
				}
			}
			catch (RuntimeException | LinkageError ex) {
				logger.debug("Could not determine the type of the bean '" + beanName + "', which is probably lazy", ex);
			}
		}
		return types;
	}

}
