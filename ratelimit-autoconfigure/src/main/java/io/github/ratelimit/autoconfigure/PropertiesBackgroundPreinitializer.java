package io.github.ratelimit.autoconfigure;

import java.util.Map;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * Loads what binds the properties, which are read before the server starts.
 */
class PropertiesBackgroundPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		Map<String, String> properties = Map.of("ratelimit.policies.one.limits[0].limit", "1",
				"ratelimit.policies.one.limits[0].window", "1s", "ratelimit.rules[0].path", "/one",
				"ratelimit.rules[0].policy", "one");
		new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("ratelimit", RateLimitProperties.class);
	}

}
