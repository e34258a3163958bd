package io.github.ratelimit;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/**
 * Log levels that an application has set stay set in its process. Each test class begins
 * with Spring Boot's default, so that it does not depend on those before it.
 */
public final class LogLevels implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		LoggingSystem logging = LoggingSystem.get(LogLevels.class.getClassLoader());
		logging.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.INFO);
		logging.setLogLevel("io.github.ratelimit", null);
	}

}
