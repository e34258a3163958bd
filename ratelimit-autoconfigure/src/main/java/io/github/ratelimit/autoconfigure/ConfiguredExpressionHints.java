package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.expression.ExpressionHints;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Runtime hints for the keys, costs, conditions, charges and plans that are configured
 * when a native image is built. One that is only configured at run time has no hints of
 * its own.
 */
class ConfiguredExpressionHints implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		RateLimitProperties properties = properties(beanFactory.getBean(Environment.class));
		if (properties == null) {
			return null;
		}
		return (context, code) -> register(properties, new ExpressionHints(context.getRuntimeHints().reflection(),
				beanFactory, beanFactory.getBeanClassLoader()));
	}

	private static void register(RateLimitProperties properties, ExpressionHints expressions) {
		registerEach(expressions, properties.key());
		RateLimitAiProperties ai = properties.ai();
		if (ai != null) {
			registerEach(expressions, ai.key());
		}
		for (RateLimitProperties.Policy policy : properties.policies().values()) {
			registerEach(expressions, policy.key(), policy.charge(), policy.chargeEach(), policy.plan());
		}
		for (RateLimitProperties.Rule rule : properties.rules()) {
			registerEach(expressions, rule.key(), rule.cost(), rule.condition());
		}
	}

	private static void registerEach(ExpressionHints expressions, @Nullable String... configured) {
		for (String expression : configured) {
			if (expression != null) {
				expressions.register(expression, null, null);
			}
		}
	}

	/*
	 * Properties that are invalid now may be valid when the application runs.
	 */
	private static @Nullable RateLimitProperties properties(Environment environment) {
		try {
			return Binder.get(environment).bindOrCreate("ratelimit", RateLimitProperties.class);
		}
		catch (BindException ex) {
			return null;
		}
	}

}
