package io.github.ratelimit.ai;

import java.lang.reflect.Modifier;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Says what to inject in place of a model's own class that is final: a model with limits
 * cannot be of it. Which exception it is depends on whether the model is there already.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class FinalModelFailureAnalyzer implements FailureAnalyzer {

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			Class<?> required = required(cause);
			if (required != null && ChatModel.class.isAssignableFrom(required)
					&& Modifier.isFinal(required.getModifiers())) {
				return new FailureAnalysis(
						"A bean of type " + required.getName()
								+ " is needed, but the rate limits around a chat model whose class is final make it a "
								+ ChatModel.class.getSimpleName() + " only.",
						"Inject a " + ChatModel.class.getName()
								+ " in its place, and name the bean with @Qualifier if there are several.",
						cause);
			}
		}
		return null;
	}

	private static @Nullable Class<?> required(Throwable failure) {
		if (failure instanceof BeanNotOfRequiredTypeException other) {
			return other.getRequiredType();
		}
		if (failure instanceof NoSuchBeanDefinitionException missing) {
			return missing.getBeanType();
		}
		return null;
	}

}
