package io.github.ratelimit.annotation;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts the {@link RateLimitedInterceptor} around beans with annotated methods. Comes
 * directly after the auto-proxy creator, whose proxies it joins, and before the
 * post-processors that take beans to call them later, such as those of listeners.
 *
 * @since 0.1.0
 */
public final class RateLimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements BeanFactoryPostProcessor {

	/** The auto-proxy creator has the highest precedence. */
	private static final int AFTER_AUTO_PROXY_CREATOR = Ordered.HIGHEST_PRECEDENCE + 1;

	/* The classes of created beans, because definitions do not always declare them. */
	private final Map<Class<?>, Boolean> candidates = new ConcurrentHashMap<>();

	/* The beans that were there even before this post-processor. */
	final Set<String> earlier = new HashSet<>();

	private volatile @Nullable Consumer<Class<?>> laterTypes;

	final Interception interception;

	private final Supplier<RateLimitedInterceptor> aspect;

	/**
	 * Creates the post-processor.
	 * @param interception knows which beans must do without a proxy
	 * @param aspect asked for at the first call of an annotated method, so that nothing
	 * that it needs is created too early to be post-processed itself
	 */
	public RateLimitedBeanPostProcessor(Interception interception, Supplier<RateLimitedInterceptor> aspect) {
		this.interception = interception;
		setOrder(AFTER_AUTO_PROXY_CREATOR);
		setBeforeExistingAdvisors(true);
		this.aspect = SingletonSupplier.of(aspect);
		this.advisor = new RateLimitedAdvisor(List.of(), this.aspect);
	}

	/*
	 * Limits beans that are made before the bean post-processors are there, because one
	 * of those needs them.
	 */
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		this.earlier.addAll(Arrays.asList(beanFactory.getSingletonNames()));
		beanFactory.addBeanPostProcessor(new StandIn((AbstractBeanFactory) beanFactory, this));
	}

	/**
	 * Returns the classes of the beans that were created and may have limited methods.
	 * @param laterTypes receives each later one before its bean is used
	 */
	Set<Class<?>> observeTypes(Consumer<Class<?>> laterTypes) {
		this.laterTypes = laterTypes;

		Set<Class<?>> types = new HashSet<>();
		for (Map.Entry<Class<?>, Boolean> each : this.candidates.entrySet()) {
			if (each.getValue() && !each.getKey().isInterface()) {
				types.add(ClassUtils.getUserClass(each.getKey()));
			}
		}
		return types;
	}

	private boolean isCandidate(Class<?> type) {
		return this.candidates.computeIfAbsent(type, RateLimitedAnnotations::isCandidate);
	}

	/*
	 * Most types can be distinguished from the others without matching each of their
	 * methods. A class that cannot be proxied is left to the start-up check, which can
	 * say what to do about it.
	 */
	@Override
	protected boolean isEligible(Class<?> targetClass) {
		return isCandidate(targetClass) && this.interception.isProxied(targetClass) && super.isEligible(targetClass);
	}

	@Override
	protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
		ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
		if (!Interception.isExtensible(bean.getClass())) {
			factory.setProxyTargetClass(false);
		}
		else if (MethodRole.isController(bean.getClass())) {
			factory.setProxyTargetClass(true);
		}
		return factory;
	}

	/*
	 * Spring asks this when proxies are made ahead of time.
	 */
	@Override
	public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
		if (!Interception.isExtensible(beanClass)) {
			return beanClass;
		}
		return super.determineBeanType(beanClass, beanName);
	}

	/*
	 * A bean that asks so early would get this one without its proxy, and call it without
	 * limits.
	 */
	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (isEligible(type)) {
			throw new AnnotatedLocation(ClassUtils.getUserClass(type), null).invalid(
					"would have no effect for beans that the bean '" + beanName
							+ "' needs itself, because they get it before it has its proxy",
					"Break the circular reference: let one of the beans ask for the other when it first uses it, by "
							+ "@Lazy or an ObjectProvider.");
		}
		return bean;
	}

	/*
	 * An object may be a bean under several names.
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (isForProxies(bean)) {
			return bean;
		}
		Class<?> targetClass = AopUtils.getTargetClass(bean);
		reportType(targetClass);

		boolean eligible = isEligible(targetClass);
		if (eligible && RateLimitedAdvisor.limits(bean)) {
			return bean;
		}
		boolean byTarget = eligible && !isWithoutTarget(bean);
		if (!byTarget && limitByInterfaces(bean)) {
			return bean;
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

	/*
	 * A factory of proxies shares its advice with them.
	 */
	private static boolean isForProxies(Object bean) {
		return bean instanceof AopInfrastructureBean || (bean instanceof FactoryBean && bean instanceof Advised);
	}

	private void reportType(Class<?> type) {
		Consumer<Class<?>> laterTypes = this.laterTypes;
		if (laterTypes != null && isCandidate(type)) {
			laterTypes.accept(ClassUtils.getUserClass(type));
		}
	}

	/*
	 * The clients that the framework makes of an interface have no target.
	 */
	private static boolean isWithoutTarget(Object bean) {
		return bean instanceof Advised advised && advised.getTargetClass() == null;
	}

	/*
	 * A proxy may be of an interface that its target does not implement, as those of
	 * Spring Data are.
	 */
	private boolean limitByInterfaces(Object bean) {
		if (!(bean instanceof Advised advised) || advised.isFrozen()) {
			return false;
		}
		List<Class<?>> interfaces = Arrays.stream(advised.getProxiedInterfaces()).filter(this::isEligible).toList();
		if (!interfaces.isEmpty() && RateLimitedAdvisor.indexIn(advised) < 0) {
			advised.addAdvisor(0, new RateLimitedAdvisor(interfaces, this.aspect));
		}
		return !interfaces.isEmpty();
	}

	/**
	 * Stands in for this until Spring has put it in its place. The same one would be
	 * counted twice, and Spring would warn of every bean that it is not complete. It is
	 * no record, because Spring compares it with others, and how to compare records is
	 * only linked when that is first asked, which each start would pay for.
	 */
	private static final class StandIn implements BeanPostProcessor {

		private final AbstractBeanFactory beans;

		private final RateLimitedBeanPostProcessor limits;

		StandIn(AbstractBeanFactory beans, RateLimitedBeanPostProcessor limits) {
			this.beans = beans;
			this.limits = limits;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (this.beans.getBeanPostProcessors().contains(this.limits)) {
				return bean;
			}
			return this.limits.postProcessAfterInitialization(bean, beanName);
		}

	}

}
