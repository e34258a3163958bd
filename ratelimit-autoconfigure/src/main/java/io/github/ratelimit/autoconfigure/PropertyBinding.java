package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.HashSet;
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
 * numbers in place of known values, which would be taken for indexes. Takes a window,
 * which may be no duration, for missing if it is empty, as the other numbers; and what
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
		return new CheckingHandler(handler);
	}

	/* The text of a property, with its placeholders replaced. */
	private static String text(ConfigurationPropertyName name, BindContext context) {
		for (ConfigurationPropertySource source : context.getSources()) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property != null && property.getValue() instanceof CharSequence) {
				return context.getBinder().bind(name, Bindable.of(String.class)).orElse("");
			}
			if (property != null) {
				return property.getValue().toString();
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
				&& Double.compare(written.doubleValue(), whole.doubleValue()) != 0) {
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

	/**
	 * Checks what is bound, as it is bound.
	 */
	private static final class CheckingHandler extends AbstractBindHandler {

		private final ConfiguredShapes shapes = new ConfiguredShapes();

		private final Set<ConfigurationPropertyName> bound = new HashSet<>();

		/* Set once our properties are bound, whose placeholders have been replaced. */
		private boolean hasPlaceholders;

		CheckingHandler(BindHandler parent) {
			super(parent);
		}

		@Override
		public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
				BindContext context) {
			if (target.getType().toClass() == RateLimitProperties.class) {
				this.shapes.check(context.getSources());
				this.hasPlaceholders = true;
				this.bound.clear();
			}
			return super.onStart(name, target, context);
		}

		@Override
		public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			ConfigurationProperty property = context.getConfigurationProperty();
			if (property != null && PREFIX.isAncestorOf(name)) {
				checkPlaceholders(name, property.getValue(), context);
				check(property, context, result);
			}

			Object bound = super.onSuccess(name, target, context, result);
			if (this.hasPlaceholders && !"".equals(bound)) {
				this.bound.add(name);
			}

			if (bound == null || !PREFIX.isAncestorOf(name)) {
				return bound;
			}
			if (bound instanceof Map<?, ?> map) {
				Map<?, ?> written = new LinkedHashMap<>(map);
				written.keySet().removeIf((key) -> this.shapes.isOfVariable(name, String.valueOf(key)));
				return written;
			}
			// the text is asked, because a record's method is linked when it is first
			// called
			boolean isMissing = "".equals(bound) && TEXTS.contains(name.getLastElement(Form.DASHED));
			return isMissing ? null : bound;
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
				checkPlaceholders(name, written, context);
				throw MistakenValue.of(name.toString(), written, target.getType(), conversion);
			}

			if (PREFIX.isAncestorOf(name) && error instanceof UnboundConfigurationPropertiesException unbound) {
				ConfigurationProperty first = unbound.getUnboundProperties().iterator().next();
				throw MistakenValue.missingEntryBefore(first, text(first.getName(), context), unbound);
			}
			return super.onFailure(name, target, context, error);
		}

		/* A backslash before a placeholder leaves it as it is. */
		private void checkPlaceholders(ConfigurationPropertyName name, Object value, BindContext context) {
			String written = value.toString();
			if (this.hasPlaceholders && written.contains("${") && !written.contains("\\${")) {
				String text = text(name, context);
				if (text.contains("${")) {
					throw MistakenValue.unresolved(name.toString(), text);
				}
			}
		}

		/*
		 * An unbound property that has a value and is known was left out with an entry of
		 * a list. A policy all of whose values are placeholders that stand for nothing
		 * would not be there.
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
					if (ObjectUtils.isEmpty(property.getValue())
							|| (isLeftOut(property.getName()) && text(property.getName(), context).isEmpty())) {
						throw MistakenValue.empty(property.getName().toString());
					}
				}
			}
		}

		/* Whether the whole policy, its ban or its plan was left out. */
		private boolean isLeftOut(ConfigurationPropertyName name) {
			if (name.getNumberOfElements() < 4 || !name.getElement(1, Form.UNIFORM).equals("policies")) {
				return false;
			}
			int entry = Map.of("ban", 4, "plans", 5).getOrDefault(name.getElement(3, Form.UNIFORM), 3);
			return this.bound.stream().noneMatch(name.chop(entry)::isAncestorOf);
		}

	}

}
