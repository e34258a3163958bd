package io.github.ratelimit.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

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
					if (!unknown.removeIf((property) -> isReplaced(property.getName()))) {
						throw ex;
					}
					if (!unknown.isEmpty()) {
						throw new UnboundConfigurationPropertiesException(unknown);
					}
				}
			}

		};
	}

	private static boolean isReplaced(ConfigurationPropertyName name) {
		return RULES.isAncestorOf(name) && PropertyNames.isKnown(name);
	}

}
