package io.github.ratelimit.autoconfigure;

import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Properties that are read when the application runs and not when it is built, because
 * users change them without a new build.
 */
final class RunTimeChoices {

	private static final boolean CHANGES = ClassUtils.isPresent(
			"org.springframework.cloud.context.environment.EnvironmentChangeEvent",
			RunTimeChoices.class.getClassLoader());

	private RunTimeChoices() {
	}

	/**
	 * Whether the application is being built ahead of time, so that no property is known
	 * yet.
	 */
	static boolean areOpen() {
		return Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
	}

	/*
	 * Other spellings of false are rejected when properties are bound.
	 */
	static boolean isEnabled(Environment environment) {
		return !"false".equalsIgnoreCase(environment.getProperty("ratelimit.enabled"));
	}

	static boolean isInRedis(Environment environment) {
		return "redis".equalsIgnoreCase(environment.getProperty("ratelimit.store"));
	}

	static boolean mayHaveRules(Environment environment) {
		return environment.containsProperty("ratelimit.rules[0].path") || mayChange();
	}

	/**
	 * Whether policies and rules may change while the application runs.
	 */
	static boolean mayChange() {
		return CHANGES;
	}

}
