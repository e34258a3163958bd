package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;
import java.time.Duration;

import io.github.ratelimit.InvalidRateLimitException;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Rejects numbers that conversion would silently change: durations without a unit, which
 * would be milliseconds, and fractions, which would be truncated.
 */
class StrictNumberBinding implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ratelimit");

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				ConfigurationProperty property = context.getConfigurationProperty();
				if (property != null && PREFIX.isAncestorOf(name)) {
					check(property, context, result);
				}
				return super.onSuccess(name, target, context, result);
			}

		};
	}

	private static void check(ConfigurationProperty property, BindContext context, Object result) {
		if (result instanceof Duration duration && !duration.isZero()) {
			checkUnit(property.getName(),
					context.getBinder().bind(property.getName(), Bindable.of(String.class)).get());
		}
		if (result instanceof Number whole && property.getValue() instanceof Number written
				&& written.doubleValue() != whole.doubleValue()) {
			throw InvalidRateLimitException.property(property.getName().toString(), written,
					"is not a whole number, or too large", "Write the number in digits only, such as 100.", null);
		}
	}

	private static void checkUnit(ConfigurationPropertyName name, String text) {
		String number = text.strip();
		if (Character.isDigit(number.charAt(number.length() - 1))) {
			throw InvalidRateLimitException.property(name.toString(), number, "has no unit",
					"Write " + number + "s, if seconds are meant, or " + number + " with ms, m, h or d.", null);
		}
	}

}
