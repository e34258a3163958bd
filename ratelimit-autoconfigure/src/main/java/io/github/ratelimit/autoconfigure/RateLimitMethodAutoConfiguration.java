package io.github.ratelimit.autoconfigure;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.annotation.Interception;
import io.github.ratelimit.annotation.RateLimitedAdvisor;
import io.github.ratelimit.annotation.RateLimitedBeanPostProcessor;
import io.github.ratelimit.annotation.RateLimitedBeans;
import io.github.ratelimit.annotation.RateLimitedInterceptor;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.DelayScheduler;
import io.github.ratelimit.request.WaitingRoom;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration for annotated methods of any bean. Each context of a hierarchy needs
 * its own, because bean post-processors only see the beans of their context.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnProperty(name = "ratelimit.enabled", matchIfMissing = true)
public final class RateLimitMethodAutoConfiguration {

	/** Name of the executor that Spring Boot configures. */
	private static final String APPLICATION_TASK_EXECUTOR = "applicationTaskExecutor";

	/*
	 * A context that shares its parent's registry shares its methods too, so that both
	 * use the same names of policies.
	 */
	@Bean
	RateLimitedMethods rateLimitedMethods(StoreRateLimiterRegistry registry, PolicyBinder binder,
			Environment environment, ConfigurableListableBeanFactory beanFactory, RateLimitFindings findings,
			ConfiguredPolicies policies) {
		BeanFactory parent = beanFactory.getParentBeanFactory();
		if (parent != null) {
			RateLimitedMethods shared = parent.getBeanProvider(RateLimitedMethods.class).getIfUnique();
			if (shared != null && shared.registry() == registry) {
				return shared;
			}
		}
		return new RateLimitedMethods(registry, binder, environment, findings,
				(policy) -> policies.add(policy, registry));
	}

	@Bean(RateLimitedBeans.BEAN_NAME)
	RateLimitedBeans rateLimitedBeans(ConfigurableApplicationContext context, RateLimitedMethods methods,
			RateLimitedBeanPostProcessor processor, Environment environment) {
		return new RateLimitedBeans(context, methods, processor, Threading.VIRTUAL.isActive(environment),
				RateLimitAutoConfiguration.requestTimeout(environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	RateLimitedInterceptor rateLimitedInterceptor(RateLimitedMethods methods, ObjectProvider<CurrentRequest> current,
			WaitingRoom room, Environment environment,
			@Qualifier(APPLICATION_TASK_EXECUTOR) ObjectProvider<Executor> executor) {
		return new RateLimitedInterceptor(methods, new CurrentRequests(current.orderedStream().toList(), room),
				new DelayScheduler((task) -> executor.getIfAvailable(ForkJoinPool::commonPool).execute(task),
						Threading.VIRTUAL.isActive(environment)));
	}

	/* It costs calls something, so that it is there only where it is injected. */
	@Bean
	@Lazy
	RateLimitInfo rateLimitInfo(RateLimitedInterceptor interceptor) {
		return interceptor.info();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RateLimitedBeanPostProcessor rateLimitedBeanPostProcessor(BeanFactory beanFactory,
			ObjectProvider<RateLimitedInterceptor> aspect, Environment environment) {
		boolean proxyTargetClass = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
		Interception interception = new Interception(proxyTargetClass, beanFactory,
				SingletonSupplier.of(() -> policiesAroundCalls(beanFactory.getBean(RateLimitProperties.class))));
		RateLimitedBeanPostProcessor processor = new RateLimitedBeanPostProcessor(interception, aspect::getObject);
		processor.setProxyTargetClass(proxyTargetClass);
		return processor;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static MergedBeanDefinitionPostProcessor rateLimitOutermostAdvice() {
		return RateLimitedAdvisor.outermost();
	}

	private static Set<String> policiesAroundCalls(RateLimitProperties properties) {
		Set<String> around = new HashSet<>();
		for (Map.Entry<String, RateLimitProperties.Policy> each : properties.policies().entrySet()) {
			if (needsCall(each.getValue())) {
				around.add(each.getKey());
			}
		}
		return around;
	}

	/*
	 * Whether a policy may read the arguments of a call, or is charged by what the call
	 * comes to.
	 */
	private static boolean needsCall(RateLimitProperties.Policy policy) {
		return policy.charge() != null || policy.chargeEach() != null || Interception.mayReadArguments(policy.key())
				|| Interception.mayReadArguments(policy.plan());
	}

}
