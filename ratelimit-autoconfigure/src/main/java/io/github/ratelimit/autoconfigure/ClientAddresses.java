package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.ClientAddressResolver;

import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;

/**
 * Creates the resolver that {@code ratelimit.client-address} configures.
 */
final class ClientAddresses {

	private static final String PROPERTY = "ratelimit.client-address";

	private ClientAddresses() {
	}

	static ClientAddressResolver resolver(RateLimitProperties.ClientAddress properties, Environment environment) {
		return resolver(properties, environment, new RateLimitFindings());
	}

	static ClientAddressResolver resolver(RateLimitProperties.ClientAddress properties, Environment environment,
			RateLimitFindings findings) {
		if (!properties.trustedProxies().isEmpty()) {
			checkNotForwarded(properties, environment);
		}
		try {
			return new ClientAddressResolver(properties.trustedProxies(), properties.ipv6Prefix(), properties.header(),
					findings);
		}
		catch (InvalidRateLimitException ex) {
			throw ex.inProperty(PROPERTY);
		}
	}

	private static void checkNotForwarded(RateLimitProperties.ClientAddress properties, Environment environment) {
		String strategy = environment.getProperty("server.forward-headers-strategy");
		CloudPlatform platform = (strategy == null) ? CloudPlatform.getActive(environment) : null;
		boolean deduced = platform != null && platform.isUsingForwardHeaders();
		if (deduced || strategy != null && !strategy.equalsIgnoreCase("none")) {
			String reason = deduced ? "on " + platform + ", where the server replaces the client's address by default"
					: "together with server.forward-headers-strategy=" + strategy;
			throw InvalidRateLimitException.property(PROPERTY + ".trusted-proxies", properties.trustedProxies(),
					"is set " + reason + ", so that forwarded headers would be applied twice",
					"Remove trusted-proxies, or set server.forward-headers-strategy to none.", null);
		}
	}

}
