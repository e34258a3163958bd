package io.github.ratelimit.autoconfigure;

import java.util.List;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.util.ReflectionUtils;

/**
 * Loads what the auto-configurations make, which Spring asks for before it makes it.
 */
class AutoConfigurationBackgroundPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		List.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
				RateLimitServletAutoConfiguration.class, RateLimitMvcAutoConfiguration.class)
			.forEach(ReflectionUtils::getDeclaredMethods);
	}

}
