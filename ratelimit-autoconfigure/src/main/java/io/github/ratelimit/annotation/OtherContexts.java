package io.github.ratelimit.annotation;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Looks through the contexts of a hierarchy that have no bean post-processor of ours,
 * once they are ready: web handlers in them are limited before they are called, and
 * anything else would not be.
 */
public final class OtherContexts implements ApplicationListener<ContextRefreshedEvent> {

	private final ApplicationContext own;

	private final String ownBean;

	private final LimitedTypeCheck check;

	/**
	 * Creates the check.
	 * @param own the context that looks after itself
	 * @param ownBean the name of a bean by which such a context is known
	 * @param check is shown each type
	 */
	public OtherContexts(ApplicationContext own, String ownBean, LimitedTypeCheck check) {
		this.own = own;
		this.ownBean = ownBean;
		this.check = check;
	}

	/*
	 * Events of a context reach the listeners of its ancestors, too. The nearest that
	 * looks after itself has the say.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext refreshed = event.getApplicationContext();
		if (refreshed == this.own) {
			for (ApplicationContext each = refreshed.getParent(); isOther(each); each = each.getParent()) {
				check(each);
			}
		}
		else if (nearest(refreshed) == this.own) {
			check(refreshed);
		}
	}

	private @Nullable ApplicationContext nearest(ApplicationContext context) {
		ApplicationContext each = context;
		while (isOther(each)) {
			each = each.getParent();
		}
		return each;
	}

	private boolean isOther(@Nullable ApplicationContext context) {
		return context != null && !context.containsLocalBean(this.ownBean);
	}

	private void check(ApplicationContext context) {
		if (context instanceof ConfigurableApplicationContext configurable) {
			for (String beanName : context.getBeanNamesForType(Object.class, true, false)) {
				Class<?> type = RateLimitedBeans.userType(configurable.getBeanFactory(), beanName);
				if (type != null) {
					this.check.visitBare(type,
							"the bean '" + beanName + "' is in the context '" + context.getDisplayName()
									+ "', which has no rate limits of its own",
							"Add @ImportAutoConfiguration(RateLimitMethodAutoConfiguration.class) to that context's "
									+ "configuration, or move the bean.");
				}
			}
		}
	}

}
