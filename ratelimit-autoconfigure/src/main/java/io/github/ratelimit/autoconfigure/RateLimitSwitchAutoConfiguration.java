package io.github.ratelimit.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for what is left where rate limits are turned off, and for
 * applications that are built ahead of time, which decide that when they start.
 */
@AutoConfiguration
@Conditional(RunTimeCondition.OnSwitch.class)
public final class RateLimitSwitchAutoConfiguration {

	@Bean
	static RunTimeSwitch rateLimitSwitch(Environment environment) {
		return new RunTimeSwitch(environment);
	}

}
