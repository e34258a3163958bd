package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The application's {@link RateLimitPlanResolver}, which is created with the
 * application's other beans, and not before them: it may need what is limited.
 */
final class PlanResolvers implements SmartInitializingSingleton {

	private final ListableBeanFactory beanFactory;

	PlanResolvers(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	boolean exist() {
		return this.beanFactory.getBeanNamesForType(RateLimitPlanResolver.class, true, false).length > 0;
	}

	/* Two of them are a mistake that is to fail start-up. */
	@Override
	public void afterSingletonsInstantiated() {
		if (exist()) {
			resolver();
		}
	}

	private RateLimitPlanResolver resolver() {
		return this.beanFactory.getBean(RateLimitPlanResolver.class);
	}

	@Nullable String resolve(RateLimitPolicy policy, String key) throws Exception {
		return resolver().resolvePlan(policy, key);
	}

}
