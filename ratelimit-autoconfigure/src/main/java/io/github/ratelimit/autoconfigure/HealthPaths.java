package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The paths by which a platform probes the application's health, where rules see them.
 */
final class HealthPaths {

	private static final String ENDPOINT = "org.springframework.boot.health.actuate.endpoint.HealthEndpoint";

	private static final String PROPERTIES = "management.endpoints.web.";

	private HealthPaths() {
	}

	/**
	 * Finds the paths.
	 * @return none, unless others reach the application, and its health is on its own
	 * port
	 */
	static List<String> find(ApplicationContext context, RateLimitProperties properties) {
		Environment environment = context.getEnvironment();
		ClassLoader classLoader = HealthPaths.class.getClassLoader();
		if (!Deployment.isReachedByOthers(environment, properties) || !ClassUtils.isPresent(ENDPOINT, classLoader)
				|| !hasHealth(context, ClassUtils.resolveClassName(ENDPOINT, classLoader))
				|| ManagementPortType.get(environment) != ManagementPortType.SAME) {
			return List.of();
		}
		String base = environment.getProperty(PROPERTIES + "base-path", "/actuator");
		String health = StringUtils.trimTrailingCharacter(base, '/') + "/"
				+ environment.getProperty(PROPERTIES + "path-mapping.health", "health");
		List<String> paths = new ArrayList<>(List.of(health, health + "/liveness", health + "/readiness"));
		if (environment.getProperty("management.endpoint.health.probes.add-additional-paths", Boolean.class, false)) {
			paths.addAll(List.of("/livez", "/readyz"));
		}
		return paths;
	}

	private static boolean hasHealth(ApplicationContext context, Class<?> endpoint) {
		return context.getBeanNamesForType(endpoint, true, false).length > 0;
	}

}
