package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
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
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.util.ObjectUtils;
import org.springframework.util.unit.DataSize;

/**
 * Says what is wrong with our properties, before and while Spring Boot binds them.
 * Rejects what it would silently change: durations without a unit, which would be
 * milliseconds, sizes, which would be bytes, fractions, which would be truncated, and
 * numbers in place of known values, which would be their places. Takes a window, which
 * may be no duration, for missing if it is empty, as the other numbers; and what
 * Kubernetes sets for a service called {@code ratelimit-policies} for no policy. Lets the
 * rules of a profile or of the command line replace those of a file: Spring Boot takes a
 * list whole from one place, but takes lists within the entries that it leaves out, such
 * as the methods of a rule, for unknown properties.
 */
class PropertyBinding implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName PREFIX = ConfiguredShapes.PREFIX;

	private static final Set<String> TEXTS = Set.of("window", "zone", "from");

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			private final ConfiguredShapes shapes = new ConfiguredShapes();

			@Override
			public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
					BindContext context) {
				if (target.getType().toClass() == RateLimitProperties.class) {
					this.shapes.check(context.getSources());
				}
				return super.onStart(name, target, context);
			}

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				ConfigurationProperty property = context.getConfigurationProperty();
				if (property != null && PREFIX.isAncestorOf(name)) {
					check(property, context, result);
				}
				Object bound = super.onSuccess(name, target, context, result);
				if (bound == null || !PREFIX.isAncestorOf(name)) {
					return bound;
				}
				if (bound instanceof Map<?, ?> map) {
					Map<?, ?> written = new LinkedHashMap<>(map);
					written.keySet().removeIf((key) -> this.shapes.isOfVariable(name, String.valueOf(key)));
					return written;
				}
				return (bound.equals("") && TEXTS.contains(name.getLastElement(Form.DASHED))) ? null : bound;
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				if (PREFIX.isAncestorOf(name) && error instanceof ConversionException conversion) {
					String written = text(name, context);
					boolean service = name.getLastElement(Form.DASHED).equals("port") && written.contains("://");
					if (service && error instanceof ConverterNotFoundException) {
						return null;
					}
					throw MistakenValue.of(name.toString(), written, target.getType(), conversion);
				}
				if (PREFIX.isAncestorOf(name) && error instanceof UnboundConfigurationPropertiesException unbound) {
					throw MistakenValue.withoutEntryBefore(unbound);
				}
				return super.onFailure(name, target, context, error);
			}

			/*
			 * What has a value and is known was left out with an entry of a list.
			 */
			@Override
			public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					@Nullable Object result) throws Exception {
				try {
					super.onFinish(name, target, context, result);
				}
				catch (UnboundConfigurationPropertiesException ex) {
					for (ConfigurationProperty property : ex.getUnboundProperties()) {
						if (!PREFIX.isAncestorOf(property.getName())) {
							throw ex;
						}
						if (ObjectUtils.isEmpty(property.getValue())) {
							throw MistakenValue.empty(property.getName().toString());
						}
					}
				}
			}

		};
	}

	/* With its placeholders replaced. */
	private static String text(ConfigurationPropertyName name, BindContext context) {
		for (ConfigurationPropertySource source : context.getSources()) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property != null) {
				return (property.getValue() instanceof CharSequence)
						? context.getBinder().bind(name, Bindable.of(String.class)).orElse("")
						: property.getValue().toString();
			}
		}
		return "";
	}

	private static void check(ConfigurationProperty property, BindContext context, Object result) {
		if (result instanceof Duration duration && !duration.isZero()) {
			checkUnit(property.getName().toString(), text(property.getName(), context));
		}
		if (result instanceof DataSize) {
			String size = text(property.getName(), context).strip();
			if (Character.isDigit(size.charAt(size.length() - 1))) {
				throw InvalidRateLimitException.property(property.getName().toString(), size, "has no unit",
						"Write " + size + "MB, if megabytes are meant, or " + size + " with B, KB or GB.", null);
			}
		}
		if (result instanceof Enum<?> constant && property.getValue() instanceof Number written) {
			throw MistakenValue.unknown(property.getName().toString(), written, constant.getDeclaringClass());
		}
		if (result instanceof Number whole && property.getValue() instanceof Number written
				&& written.doubleValue() != whole.doubleValue()) {
			throw InvalidRateLimitException.property(property.getName().toString(), written, MistakenValue.NOT_WHOLE,
					MistakenValue.WHOLE_NUMBER, null);
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
