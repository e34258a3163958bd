package io.github.ratelimit.autoconfigure;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Analyzes properties under {@code ratelimit} that are not known, such as misspelt ones.
 */
@Order(0)
class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ratelimit");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		if (!(PREFIX.equals(cause.getName()) || PREFIX.isAncestorOf(cause.getName()))
				|| !(cause.getCause() instanceof UnboundConfigurationPropertiesException unbound)) {
			return null;
		}
		Map<String, String> descriptions = new LinkedHashMap<>();
		Map<String, String> actions = new LinkedHashMap<>();
		for (ConfigurationProperty property : unbound.getUnboundProperties()) {
			UnknownProperty unknown = UnknownProperty.of(property);
			descriptions.putIfAbsent(unknown.path(), describe(unknown, property));
			actions.putIfAbsent(unknown.path(), unknown.action());
		}
		return new FailureAnalysis(String.join(System.lineSeparator(), descriptions.values()),
				String.join(System.lineSeparator(), new LinkedHashSet<>(actions.values())), cause);
	}

	private static String describe(UnknownProperty unknown, ConfigurationProperty property) {
		String origin = (property.getOrigin() != null) ? " It was set in " + property.getOrigin() + "." : "";
		return "The property '" + unknown.path() + "' " + unknown.reason() + "." + origin;
	}

}
