package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What changes while the application runs, for the log.
 */
final class ChangeText {

	private ChangeText() {
	}

	/**
	 * Compares what of a policy can change.
	 * @param before the policy that is in force, or {@code null} if there is none yet
	 * @param after the policy as it is configured
	 * @return the change, or {@code null} if there is none
	 */
	static @Nullable String policy(@Nullable RateLimitPolicy before, RateLimitPolicy after) {
		if (before == null) {
			return "policy " + after + " is new";
		}
		List<String> parts = new ArrayList<>();
		compare("limits", before.limits(), after.limits(), parts);
		compare("shadow-limits", before.shadowLimits(), after.shadowLimits(), parts);
		compare("plans", before.plans(), after.plans(), parts);
		compare("mode", before.mode().id(), after.mode().id(), parts);
		return parts.isEmpty() ? null : "policy " + after.name() + " has " + String.join(", ", parts);
	}

	private static void compare(String name, Object before, Object after, List<String> parts) {
		if (!before.equals(after)) {
			parts.add(name + " from " + before + " to " + after);
		}
	}

	static List<String> rules(List<RateLimitProperties.Rule> rules) {
		return rules.stream().map(ChangeText::rule).toList();
	}

	private static String rule(RateLimitProperties.Rule rule) {
		StringBuilder text = new StringBuilder();
		rule.methods().forEach((method) -> text.append(method).append(' '));
		text.append(rule.path()).append(" with ").append(rule.policy());
		add("key", rule.key(), text);
		add("cost", rule.cost(), text);
		add("condition", rule.condition(), text);
		add("phase", (rule.phase() != null) ? rule.phase().name().toLowerCase(Locale.ROOT).replace('_', '-') : null,
				text);
		return text.toString();
	}

	private static void add(String name, @Nullable String value, StringBuilder text) {
		if (value != null) {
			text.append(", ").append(name).append(' ').append(value);
		}
	}

}
