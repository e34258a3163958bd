package io.github.ratelimit.autoconfigure;

import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;

/**
 * What properties decide when the application runs, and not when it is built: users
 * change them without building anew.
 */
final class RunTimeChoices {

	private RunTimeChoices() {
	}

	/**
	 * Whether the application is being built ahead of time, so that nothing can be
	 * decided yet.
	 */
	static boolean areOpen() {
		return Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
	}

	/*
	 * Other words for false are an error, which is not this class' to say.
	 */
	static boolean isEnabled(Environment environment) {
		return !"false".equalsIgnoreCase(environment.getProperty("ratelimit.enabled"));
	}

	static boolean isInRedis(Environment environment) {
		return "redis".equalsIgnoreCase(environment.getProperty("ratelimit.store"));
	}

	static boolean hasRules(Environment environment) {
		return environment.containsProperty("ratelimit.rules[0].path");
	}

}
