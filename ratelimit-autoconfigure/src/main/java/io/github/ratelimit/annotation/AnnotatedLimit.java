package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.PropertyResolver;

/**
 * Reads the numbers of an annotation, each of which may be written as a text instead, so
 * that it can be a placeholder.
 *
 * @param annotation the annotation
 * @param location where it stands
 * @param placeholders replaces <code>${…}</code>
 */
record AnnotatedLimit(RateLimited annotation, AnnotatedLocation location, PropertyResolver placeholders) {

	private static final long UNSET = -1;

	private static final Set<String> OF_NAMED_POLICIES = Set.of("value", "policy", "key", "cost", "condition", "charge",
			"chargeEach", "fallback");

	RateLimit read() {
		Long limit = number("limit", this.annotation.limit(), this.annotation.limitString());
		if (limit == null) {
			throw missing("limit");
		}
		if (this.annotation.window().isEmpty()) {
			throw missing("window");
		}

		Long burst = number("burst", this.annotation.burst(), this.annotation.burstString());
		Long delay = number("delay", this.annotation.delay(), this.annotation.delayString());
		String window = resolve("window", this.annotation.window(), "${search.window:1m}");
		String zone = resolve("zone", this.annotation.zone(), "${quota.zone:UTC}");
		String from = resolve("from", this.annotation.from(), "${quota.from:1}");

		try {
			RateLimit.Builder builder = RateLimit.builder(this.annotation.algorithm()).limit(limit);
			CalendarWindow calendar = CalendarWindow.parse(window, textOrNull(zone), textOrNull(from));
			if (calendar != null) {
				builder.window(calendar);
			}
			else {
				builder.window(duration("window", this.annotation.window(), window));
			}
			return builder.burst(burst)
				.delay(delay)
				.nodelay(this.annotation.nodelay())
				.countRejected(this.annotation.countRejected())
				.build();
		}
		catch (InvalidRateLimitException ex) {
			throw at(this.location, ex);
		}
	}

	Duration readMaxWait() {
		String written = this.annotation.maxWait();
		if (written.isEmpty()) {
			return Duration.ZERO;
		}
		return duration("maxWait", written, resolve("maxWait", written, "${search.max-wait:2s}"));
	}

	private InvalidRateLimitException missing(String attribute) {
		return this.location.invalid("has no " + attribute,
				"Write how many calls may pass in which time, such as @RateLimited(limit = 100, window = \"1m\"), "
						+ "or name a policy of application.yml, such as @RateLimited(\"login\").");
	}

	/* An attribute of an annotation cannot be null. */
	static @Nullable String textOrNull(String attribute) {
		return attribute.isEmpty() ? null : attribute;
	}

	/* Where a policy is configured. */
	static String property(String policy) {
		return "ratelimit.policies" + InvalidRateLimitException.element(policy);
	}

	/*
	 * Attributes of annotations are spelled differently than properties.
	 */
	static InvalidRateLimitException at(AnnotatedLocation location, InvalidRateLimitException ex) {
		if (!ex.isCode()) {
			return ex;
		}
		return location.invalid("is not possible: " + asWritten(ex.getMessage()), asWritten(ex.action()), ex);
	}

	private static String asWritten(@Nullable String text) {
		String written = String.valueOf(text)
			.replace("count-rejected", "countRejected")
			.replace("max-wait", "maxWait")
			.replace("charge-each", "chargeEach");
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			written = written.replace(algorithm.id(), algorithm.name());
		}
		return written;
	}

	private @Nullable Long number(String name, long number, String text) {
		if (text.isEmpty()) {
			return (number != UNSET) ? number : null;
		}

		String attribute = name + "String";
		if (number != UNSET) {
			throw this.location.invalid("has both " + name + " and " + attribute,
					"Remove " + name + ", or " + attribute + ".");
		}

		String resolved = resolve(attribute, text, "${search." + name + ":100}");
		try {
			return Long.valueOf(resolved);
		}
		catch (NumberFormatException ex) {
			throw this.location.invalid(
					"has a " + attribute + " that is not a whole number, or too large: " + description(text, resolved),
					"Write the number in digits only, such as 100.", ex);
		}
	}

	/*
	 * A number without a unit would be milliseconds, which is hardly ever meant.
	 */
	private Duration duration(String attribute, String written, String resolved) {
		boolean lacksUnit = !resolved.isEmpty() && Character.isDigit(resolved.charAt(resolved.length() - 1));
		if (lacksUnit) {
			throw invalidDuration(attribute, written, resolved, null);
		}

		try {
			return DurationStyle.detectAndParse(resolved);
		}
		catch (IllegalArgumentException ex) {
			throw invalidDuration(attribute, written, resolved, ex);
		}
	}

	private InvalidRateLimitException invalidDuration(String attribute, String written, String resolved,
			@Nullable Throwable cause) {
		return this.location.invalid(
				"has a " + attribute + " that is not a number with a unit: " + description(written, resolved),
				"Write a number and a unit, such as 500ms, 10s, 1m, 1h or 1d.", cause);
	}

	private String resolve(String attribute, String written, String example) {
		try {
			return this.placeholders.resolveRequiredPlaceholders(written).strip();
		}
		catch (IllegalArgumentException ex) {
			// the placeholder may be one in the value of the property that is named here
			throw this.location.invalid(
					"has a " + attribute + " with a placeholder that nothing resolves: '" + written + "' ("
							+ ex.getMessage() + ")",
					"Set the property that is missing, or give a default after a colon where it is named, such as "
							+ example + ".",
					ex);
		}
	}

	private static String description(String written, String resolved) {
		String description = "'" + written + "'";
		if (resolved.equals(written.strip())) {
			return description;
		}
		return description + ", which is '" + resolved + "'";
	}

	/*
	 * A named policy has all numbers itself.
	 */
	static void checkNoNumbers(RateLimited annotation, AnnotatedLocation location) {
		Set<String> own = new TreeSet<>(MergedAnnotation.from(annotation).filterDefaultValues().asMap().keySet());
		own.removeAll(OF_NAMED_POLICIES);
		if (!own.isEmpty()) {
			throw location.invalid(
					"names the policy '" + annotation.policy() + "' and has what only the policy can have: " + own,
					"Remove it, and write it as a property of " + property(annotation.policy())
							+ "; or remove the policy.");
		}
	}

}
