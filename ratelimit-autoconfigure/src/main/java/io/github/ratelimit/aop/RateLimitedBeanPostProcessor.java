package io.github.ratelimit.aop;

import java.util.Arrays;
import java.util.function.Supplier;

import io.github.ratelimit.annotation.Interception;
import io.github.ratelimit.annotation.LimitedTypes;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts the {@link RateLimitedAspect} around beans with annotated methods. Comes directly
 * after the auto-proxy creator, whose proxies it joins, and before the post-processors
 * that take beans to call them later, such as those of listeners.
 */
public final class RateLimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	/** The auto-proxy creator has the highest. */
	private static final int AFTER_AUTO_PROXY_CREATOR = Ordered.HIGHEST_PRECEDENCE + 1;

	private final LimitedTypes types = new LimitedTypes();

	private final Interception interception;

	/**
	 * Creates the post-processor.
	 * @param interception tells which beans must do without a proxy
	 * @param aspect asked for at the first call of an annotated method, so that nothing
	 * that it needs is created too early to be post-processed itself
	 */
	public RateLimitedBeanPostProcessor(Interception interception, Supplier<RateLimitedAspect> aspect) {
		this.interception = interception;
		setOrder(AFTER_AUTO_PROXY_CREATOR);
		setBeforeExistingAdvisors(true);
		Supplier<RateLimitedAspect> once = SingletonSupplier.of(aspect);
		MethodInterceptor interceptor = (invocation) -> once.get().invoke(invocation);
		this.advisor = new DefaultPointcutAdvisor(new RateLimitedPointcut(), interceptor);
	}

	/**
	 * The types of the beans that were seen.
	 * @return the types, which grow with the beans
	 */
	public LimitedTypes types() {
		return this.types;
	}

	@Nullable Advisor advisor() {
		return this.advisor;
	}

	/*
	 * A class that cannot be proxied is left to the start-up check, which can say what to
	 * do about it.
	 */
	@Override
	protected boolean isEligible(Object bean, String beanName) {
		return super.isEligible(bean, beanName) && this.interception.isProxied(bean.getClass());
	}

	/*
	 * Most types can be told from the others without matching each of their methods.
	 */
	@Override
	protected boolean isEligible(Class<?> targetClass) {
		return this.types.contain(targetClass) && super.isEligible(targetClass);
	}

	@Override
	protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
		ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
		if (!Interception.isExtensible(bean.getClass())) {
			factory.setProxyTargetClass(false);
		}
		else if (Interception.needsTargetClass(bean.getClass())) {
			factory.setProxyTargetClass(true);
		}
		return factory;
	}

	/*
	 * Asked when proxies are made ahead of time.
	 */
	@Override
	public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
		boolean bySubclass = this.types.contain(beanClass) && this.interception.isProxied(beanClass)
				&& Interception.isExtensible(beanClass);
		return bySubclass ? super.determineBeanType(beanClass, beanName) : beanClass;
	}

	/*
	 * Whoever asks so early would get the bean without its proxy, and call it without
	 * limits.
	 */
	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (isEligible(type) && this.interception.isProxied(type)) {
			throw Interception.circularReference(ClassUtils.getUserClass(type), beanName);
		}
		return bean;
	}

	/*
	 * A proxy may be of an interface that its target does not implement, as those of
	 * Spring Data are.
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof AopInfrastructureBean) {
			return bean;
		}
		this.types.made(AopUtils.getTargetClass(bean));
		if (this.advisor != null && bean instanceof Advised advised && !advised.isFrozen()
				&& !isEligible(AopUtils.getTargetClass(bean))
				&& Arrays.stream(advised.getProxiedInterfaces()).anyMatch(this::isEligible)) {
			advised.addAdvisor(0, this.advisor);
			return bean;
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

}
