package io.github.ratelimit.aop;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.ratelimit.annotation.RateLimitedMethods;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts the {@link RateLimitedAspect} around beans with annotated methods, outside of
 * every other advice: a rejected call neither opens a transaction nor is tried again.
 */
public final class RateLimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private final Map<Class<?>, Boolean> candidates = new ConcurrentHashMap<>();

	/**
	 * Creates the post-processor.
	 * @param aspect asked for at the first call of an annotated method, so that nothing
	 * that it needs is created too early to be post-processed itself
	 */
	public RateLimitedBeanPostProcessor(Supplier<RateLimitedAspect> aspect) {
		setBeforeExistingAdvisors(true);
		Supplier<RateLimitedAspect> once = SingletonSupplier.of(aspect);
		MethodInterceptor interceptor = (invocation) -> once.get().invoke(invocation);
		this.advisor = new DefaultPointcutAdvisor(new RateLimitedPointcut(), interceptor);
	}

	/*
	 * A final class can be proxied through its interfaces only. One without is left to
	 * the start-up check, which can say what to do about it.
	 */
	@Override
	protected boolean isEligible(Object bean, String beanName) {
		Class<?> type = bean.getClass();
		return super.isEligible(bean, beanName)
				&& (!Modifier.isFinal(type.getModifiers()) || ClassUtils.getAllInterfacesForClass(type).length > 0);
	}

	/*
	 * Most types can be told from the others without matching each of their methods.
	 */
	@Override
	protected boolean isEligible(Class<?> targetClass) {
		return this.candidates.computeIfAbsent(targetClass, RateLimitedMethods::isCandidate)
				&& super.isEligible(targetClass);
	}

	/*
	 * Asked when proxies are made ahead of time.
	 */
	@Override
	public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
		return Modifier.isFinal(beanClass.getModifiers()) ? beanClass : super.determineBeanType(beanClass, beanName);
	}

	@Override
	protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
		ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
		if (Modifier.isFinal(bean.getClass().getModifiers())) {
			factory.setProxyTargetClass(false);
		}
		return factory;
	}

	/*
	 * A proxy may be of an interface that its target does not implement, as those of
	 * Spring Data are.
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (this.advisor != null && bean instanceof Advised advised && !(bean instanceof AopInfrastructureBean)
				&& !advised.isFrozen() && !isEligible(AopUtils.getTargetClass(bean))
				&& Arrays.stream(advised.getProxiedInterfaces()).anyMatch(this::isEligible)) {
			advised.addAdvisor(0, this.advisor);
			return bean;
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

}
