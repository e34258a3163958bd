package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

import io.github.ratelimit.InvalidRateLimitException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.util.ClassUtils;

/**
 * Checks the type of every bean once at start-up, so that every annotated method is known
 * before the first call, and every mistake ends the start.
 *
 * @since 0.1.0
 */
public final class RateLimitedBeans implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	/** Name of the bean, by which contexts are known that check their own beans. */
	public static final String BEAN_NAME = "rateLimitedBeans";

	private static final Log logger = LogFactory.getLog(RateLimitedBeans.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final LimitedTypeCheck check;

	private final LimitedTypes types;

	private final OtherContexts otherContexts;

	/**
	 * Creates the check.
	 * @param context the context whose beans are checked
	 * @param methods the annotated methods, to which those of the beans are added
	 * @param interception knows which methods a proxy can intercept
	 * @param types the types of beans whose definitions do not declare them
	 * @param virtualThreads whether requests are served by virtual threads, which may
	 * wait
	 * @param requestTimeout the time-out of asynchronous requests, or {@code null} for
	 * the server's default
	 */
	public RateLimitedBeans(ConfigurableApplicationContext context, RateLimitedMethods methods,
			Interception interception, LimitedTypes types, boolean virtualThreads, @Nullable Duration requestTimeout) {
		this.beanFactory = context.getBeanFactory();
		this.check = new LimitedTypeCheck(methods, interception, virtualThreads, requestTimeout);
		this.types = types;
		this.otherContexts = new OtherContexts(context, this.check);
	}

	@Override
	public void afterSingletonsInstantiated() {
		Set<Class<?>> present = new LinkedHashSet<>();
		for (String beanName : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = userType(this.beanFactory, beanName);
			if (type != null) {
				present.add(type);
			}
		}
		LimitedTypes.sorted(present).forEach(this.check::check);
		this.types.visit(this.check::check);
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		this.otherContexts.refreshed(event.getApplicationContext());
	}

	/**
	 * Rejects the limits of a bean that has no proxy, other than those of handlers that
	 * are enforced without one.
	 * @param type the bean's class
	 * @param reason why it has no proxy, as the end of a sentence that begins with "would
	 * have no effect"
	 * @param action what to do about it
	 * @throws InvalidRateLimitException if a method would not be limited
	 */
	public void rejectUnproxied(Class<?> type, String reason, String action) {
		this.check.rejectUnproxied(type, reason, action);
	}

	static @Nullable Class<?> userType(ConfigurableListableBeanFactory beanFactory, String beanName) {
		try {
			Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, beanName);
			return (type != null) ? ClassUtils.getUserClass(type) : null;
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Could not determine the type of the bean '" + beanName + "', which is probably lazy", ex);
			return null;
		}
	}

}
