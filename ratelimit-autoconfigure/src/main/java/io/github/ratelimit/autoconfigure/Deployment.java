package io.github.ratelimit.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What the environment tells of where the application runs.
 */
final class Deployment {

	private static final String PLATFORM = "spring.main.cloud-platform";

	private static final String TEST_PROPERTIES = "Inlined Test Properties";

	private Deployment() {
	}

	/**
	 * The platform that the application runs on.
	 * @return the platform, or {@code null} if none is recognized, or it is a test that
	 * runs there, which is no deployment
	 */
	static @Nullable CloudPlatform platform(Environment environment) {
		CloudPlatform platform = CloudPlatform.getActive(environment);
		return (platform == CloudPlatform.NONE || isTest(environment) && !environment.containsProperty(PLATFORM)) ? null
				: platform;
	}

	/*
	 * Spring's test framework adds the properties of a test under this name; those of
	 * Spring Boot have at least one.
	 */
	private static boolean isTest(Environment environment) {
		return environment instanceof ConfigurableEnvironment configurable
				&& configurable.getPropertySources().contains(TEST_PROPERTIES);
	}

	/**
	 * Whether others than the developer reach the application: it runs on a platform, or
	 * behind a proxy.
	 */
	static boolean isReachedByOthers(Environment environment, RateLimitProperties properties) {
		String strategy = environment.getProperty("server.forward-headers-strategy", "none");
		boolean proxied = !properties.clientAddress().trustedProxies().isEmpty() || !strategy.equalsIgnoreCase("none");
		return (proxied || platform(environment) != null) && !isLocal(environment.getProperty("server.address"));
	}

	private static boolean isLocal(@Nullable String address) {
		if (!StringUtils.hasText(address)) {
			return false;
		}
		try {
			return InetAddress.getByName(address).isLoopbackAddress();
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

}
