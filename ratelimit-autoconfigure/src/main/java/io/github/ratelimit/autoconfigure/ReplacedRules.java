package io.github.ratelimit.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;

/**
 * Lets the rules of a profile or of the command line replace those of a file. Spring Boot
 * takes a list whole from one place, but takes lists within the entries that it leaves
 * out, such as the methods of a rule, for unknown properties.
 */
class ReplacedRules implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("ratelimit.rules");

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					@Nullable Object result) throws Exception {
				try {
					super.onFinish(name, target, context, result);
				}
				catch (UnboundConfigurationPropertiesException ex) {
					Set<ConfigurationProperty> unknown = new LinkedHashSet<>(ex.getUnboundProperties());
					if (!unknown.removeIf((property) -> isReplaced(property.getName(), context))) {
						throw ex;
					}
					if (!unknown.isEmpty()) {
						throw new UnboundConfigurationPropertiesException(unknown);
					}
				}
			}

		};
	}

	private static boolean hasAny(ConfigurationPropertySource source) {
		return source.getConfigurationProperty(RULES) != null
				|| source.containsDescendantOf(RULES) == ConfigurationPropertyState.PRESENT;
	}

	private static boolean isReplaced(ConfigurationPropertyName name, BindContext context) {
		return RULES.isAncestorOf(name) && PropertyNames.isKnown(name)
				&& StreamSupport.stream(context.getSources().spliterator(), false)
					.filter((source) -> hasAny(source))
					.findFirst()
					.filter((used) -> used.getConfigurationProperty(name) == null)
					.isPresent();
	}

}
