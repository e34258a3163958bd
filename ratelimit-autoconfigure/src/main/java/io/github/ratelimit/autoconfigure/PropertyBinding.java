package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Rejects numbers that conversion would silently change: durations without a unit, which
 * would be milliseconds, and fractions, which would be truncated. Takes a window, which
 * may be no duration, for missing if it is empty, as the other numbers; and what
 * Kubernetes sets for a service called {@code ratelimit-policies} for no policy. Lets the
 * rules of a profile or of the command line replace those of a file: Spring Boot takes a
 * list whole from one place, but takes lists within the entries that it leaves out, such
 * as the methods of a rule, for unknown properties.
 */
class PropertyBinding implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ratelimit");

	private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("ratelimit.rules");

	private static final Set<String> TEXTS = Set.of("window", "zone", "from");

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
				Object bound = super.onSuccess(name, target, context, result);
				boolean missing = "".equals(bound) && PREFIX.isAncestorOf(name)
						&& TEXTS.contains(name.getLastElement(Form.DASHED));
				return missing ? null : bound;
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				boolean service = error instanceof ConverterNotFoundException && PREFIX.isAncestorOf(name)
						&& name.getLastElement(Form.DASHED).equals("port")
						&& context.getBinder().bind(name, Bindable.of(String.class)).orElse("").contains("://");
				return service ? null : super.onFailure(name, target, context, error);
			}

			@Override
			public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					@Nullable Object result) throws Exception {
				try {
					super.onFinish(name, target, context, result);
				}
				catch (UnboundConfigurationPropertiesException ex) {
					Set<ConfigurationProperty> unknown = new LinkedHashSet<>(ex.getUnboundProperties());
					unknown.removeIf((property) -> isOfRule(property.getName()));
					if (!unknown.isEmpty()) {
						throw new UnboundConfigurationPropertiesException(unknown);
					}
				}
			}

		};
	}

	/* Such as ratelimit.rules[0].methods[0]. */
	private static boolean isOfRule(ConfigurationPropertyName name) {
		return RULES.isAncestorOf(name) && PropertyNames.names(RateLimitProperties.Rule.class)
			.contains(name.getElement(RULES.getNumberOfElements() + 1, Form.DASHED));
	}

	private static void check(ConfigurationProperty property, BindContext context, Object result) {
		if (result instanceof Duration duration && !duration.isZero()) {
			checkUnit(property.getName().toString(),
					context.getBinder().bind(property.getName(), Bindable.of(String.class)).get());
		}
		if (result instanceof Number whole && property.getValue() instanceof Number written
				&& written.doubleValue() != whole.doubleValue()) {
			throw InvalidRateLimitException.property(property.getName().toString(), written,
					"is not a whole number, or too large", "Write the number in digits only, such as 100.", null);
		}
	}

	static void checkUnit(String name, String text) {
		String number = text.strip();
		if (Character.isDigit(number.charAt(number.length() - 1))) {
			throw InvalidRateLimitException.property(name, number, "has no unit",
					"Write " + number + "s, if seconds are meant, or " + number + " with ms, m, h or d.", null);
		}
	}

}
