package io.github.ratelimit.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for applications whose rate limits are turned off, and for those
 * that are built ahead of time, where the switch is read at start-up.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@Conditional(RunTimeCondition.OnSwitch.class)
public final class RateLimitSwitchAutoConfiguration {

	@Bean
	static RunTimeSwitch rateLimitSwitch(Environment environment) {
		return new RunTimeSwitch(environment);
	}

}
