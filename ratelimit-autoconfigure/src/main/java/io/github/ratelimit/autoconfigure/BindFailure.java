package io.github.ratelimit.autoconfigure;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes why properties under {@code ratelimit} could not be bound: a name is unknown
 * or a value is invalid.
 */
final class BindFailure {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ratelimit");

	private BindFailure() {
	}

	static @Nullable FailureAnalysis analyze(BindException cause) {
		if (!PREFIX.equals(cause.getName()) && !PREFIX.isAncestorOf(cause.getName())) {
			return null;
		}
		return (cause.getCause() instanceof UnboundConfigurationPropertiesException unbound) ? unknown(unbound, cause)
				: InvalidValue.analyze(cause);
	}

	private static FailureAnalysis unknown(UnboundConfigurationPropertiesException unbound, BindException cause) {
		Map<String, String> descriptions = new LinkedHashMap<>();
		Map<String, String> actions = new LinkedHashMap<>();
		for (ConfigurationProperty property : unbound.getUnboundProperties()) {
			UnknownName unknown = UnknownName.of(property);
			descriptions.putIfAbsent(unknown.path(),
					"The property '" + unknown.path() + "' " + unknown.reason() + "." + origin(property));
			actions.putIfAbsent(unknown.path(), unknown.action());
		}
		return new FailureAnalysis(String.join(System.lineSeparator(), descriptions.values()),
				String.join(System.lineSeparator(), new LinkedHashSet<>(actions.values())), cause);
	}

	static String origin(@Nullable ConfigurationProperty property) {
		return PropertyOrigin.sentence((property != null) ? property.getOrigin() : null);
	}

}
