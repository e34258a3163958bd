package io.github.ratelimit.annotation;

import java.util.List;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.StringUtils;

/**
 * A started application of {@link LimitedBeans} that has one bean with limited methods.
 *
 * @param <T> the type of the bean
 */
final class LimitedApplication<T> implements AutoCloseable {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final Class<T> type;

	LimitedApplication(Class<T> type, String... properties) {
		this(type, List.of(), properties);
	}

	/**
	 * Starts an application.
	 * @param others other objects, which are registered by the names of their classes
	 */
	LimitedApplication(Class<T> type, List<Object> others, String... properties) {
		this.type = type;
		TestPropertyValues.of(properties).applyTo(this.context);
		for (Object other : others) {
			String name = StringUtils.uncapitalize(other.getClass().getSimpleName());
			this.context.getBeanFactory().registerSingleton(name, other);
		}
		this.context.registerBean(type);
		this.context.register(LimitedBeans.ManualTime.class, RateLimitAutoConfiguration.class,
				RateLimitMethodAutoConfiguration.class);
		this.context.refresh();
	}

	T bean() {
		return get(this.type);
	}

	<B> B get(Class<B> type) {
		return this.context.getBean(type);
	}

	long remaining(String policy, String key) {
		return get(RateLimiterRegistry.class).peek(policy, key).remaining();
	}

	long count(String policy, RateLimitOutcome outcome) {
		return get(RateLimiterRegistry.class).policy(policy).count(outcome);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
