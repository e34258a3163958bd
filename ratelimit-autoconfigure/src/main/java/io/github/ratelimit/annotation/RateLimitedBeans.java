package io.github.ratelimit.annotation;

import java.util.Arrays;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Visits the type of every bean once at start-up, so that every annotated method is known
 * before the first call, and every mistake ends the start.
 */
public final class RateLimitedBeans implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(RateLimitedBeans.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final LimitedTypeCheck check;

	private final LimitedTypes types;

	/**
	 * Creates the visitor.
	 * @param beanFactory the beans to visit
	 * @param check is shown each type
	 * @param types the types of beans whose definitions do not tell them
	 */
	public RateLimitedBeans(ConfigurableListableBeanFactory beanFactory, LimitedTypeCheck check, LimitedTypes types) {
		this.beanFactory = beanFactory;
		this.check = check;
		this.types = types;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Arrays.stream(this.beanFactory.getBeanNamesForType(Object.class, true, false))
			.map((beanName) -> userType(this.beanFactory, beanName))
			.distinct()
			.forEach((type) -> {
				if (type != null) {
					this.check.visit(type);
				}
			});
		this.types.visit(this.check::visit);
	}

	static @Nullable Class<?> userType(ConfigurableListableBeanFactory beanFactory, String beanName) {
		try {
			Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, beanName);
			return (type != null) ? ClassUtils.getUserClass(type) : null;
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Could not find out the type of the bean '" + beanName + "', which is probably lazy", ex);
			return null;
		}
	}

}
