package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Finds that anybody can change limits: others than the developer reach the application,
 * the endpoint can be written on the same port, and there is no Spring Security.
 */
final class EndpointFindings implements ApplicationListener<ApplicationStartedEvent> {

	static final String WEB_EXTENSION = "rateLimitsEndpointWebExtension";

	private static final String SECURITY = "springSecurityFilterChain";

	private final RateLimitProperties properties;

	private final ObjectProvider<EndpointAccessResolver> access;

	private final RateLimitFindings findings;

	EndpointFindings(RateLimitProperties properties, ObjectProvider<EndpointAccessResolver> access,
			RateLimitFindings findings) {
		this.properties = properties;
		this.access = access;
		this.findings = findings;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (context.containsBean(WEB_EXTENSION) && !context.containsBean(SECURITY)
				&& RateLimitEndpointAutoConfiguration.isWritable(this.access.getIfAvailable())
				&& ManagementPortType.get(context.getEnvironment()) == ManagementPortType.SAME
				&& Deployment.isReachedByOthers(context.getEnvironment(), this.properties)) {
			this.findings.report(FindingCode.OPEN_ENDPOINT, null, "endpoint",
					"Whoever reaches the application can reset keys and change limits, because the endpoint "
							+ "'ratelimits' can be written without Spring Security.");
		}
	}

}
