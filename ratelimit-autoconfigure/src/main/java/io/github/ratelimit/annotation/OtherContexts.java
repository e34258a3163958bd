package io.github.ratelimit.annotation;

import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Checks the contexts of a hierarchy that have no bean post-processor of ours, once they
 * are refreshed. Web handlers in them are limited before they are called; other annotated
 * methods would not be limited.
 */
final class OtherContexts {

	private final ApplicationContext own;

	private final LimitedTypeCheck check;

	OtherContexts(ApplicationContext own, LimitedTypeCheck check) {
		this.own = own;
		this.check = check;
	}

	/*
	 * Events of a context reach the listeners of its ancestors too. A context is checked
	 * by its nearest ancestor that checks its own beans.
	 */
	void refreshed(ApplicationContext context) {
		if (context == this.own) {
			for (ApplicationContext each = context.getParent(); isOther(each); each = each.getParent()) {
				check(each);
			}
		}
		else if (nearest(context) == this.own) {
			check(context);
		}
	}

	private @Nullable ApplicationContext nearest(ApplicationContext context) {
		ApplicationContext each = context;
		while (isOther(each)) {
			each = each.getParent();
		}
		return each;
	}

	@Contract("null -> false")
	private boolean isOther(@Nullable ApplicationContext context) {
		return context != null && !context.containsLocalBean(RateLimitedBeans.BEAN_NAME);
	}

	private void check(ApplicationContext context) {
		if (context instanceof ConfigurableApplicationContext configurable) {
			for (String beanName : context.getBeanNamesForType(Object.class, true, false)) {
				Class<?> type = RateLimitedBeans.userType(configurable.getBeanFactory(), beanName);
				if (type != null) {
					this.check.rejectUnproxied(type,
							"the bean '" + beanName + "' is in the context '" + context.getDisplayName()
									+ "', which has no rate limits of its own",
							"Add @ImportAutoConfiguration(RateLimitMethodAutoConfiguration.class) to that context's "
									+ "configuration, or move the bean.");
				}
			}
		}
	}

}
