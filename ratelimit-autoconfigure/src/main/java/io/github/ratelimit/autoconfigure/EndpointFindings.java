package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.util.ClassUtils;

/**
 * Finds that anybody can change limits: others than the developer reach the application,
 * the endpoint can be written on the same port, and there is no Spring Security. Finds
 * policies, too, whose name is that of something else below the endpoint.
 */
final class EndpointFindings implements ApplicationListener<ApplicationStartedEvent> {

	static final String WEB_EXTENSION = "rateLimitsEndpointWebExtension";

	private static final String SECURITY = "springSecurityFilterChain";

	private static final List<String> SIMULATING = List.of("org.springframework.web.servlet.DispatcherServlet",
			"tools.jackson.core.json.JsonFactory");

	private final RateLimitProperties properties;

	private final RateLimiterRegistry registry;

	private final ObjectProvider<EndpointAccessResolver> access;

	private final RateLimitFindings findings;

	EndpointFindings(RateLimitProperties properties, RateLimiterRegistry registry,
			ObjectProvider<EndpointAccessResolver> access, RateLimitFindings findings) {
		this.properties = properties;
		this.registry = registry;
		this.access = access;
		this.findings = findings;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (context.containsBean(WEB_EXTENSION)) {
			findOpenEndpoint(context);
			findReserved("page", "what is there without a key is the page");
			ClassLoader classLoader = context.getClassLoader();
			if (SIMULATING.stream().allMatch((type) -> ClassUtils.isPresent(type, classLoader))) {
				findReserved("simulate", "the playground of the page cannot simulate");
			}
		}
	}

	private void findOpenEndpoint(ApplicationContext context) {
		if (!context.containsBean(SECURITY)
				&& RateLimitEndpointAutoConfiguration.isWritable(this.access.getIfAvailable())
				&& ManagementPortType.get(context.getEnvironment()) == ManagementPortType.SAME
				&& Deployment.isReachedByOthers(context.getEnvironment(), this.properties)) {
			this.findings.report(FindingCode.OPEN_ENDPOINT, null, "endpoint",
					"Whoever reaches the application can reset keys and change limits, because the endpoint "
							+ "'ratelimits' can be written without Spring Security.");
		}
	}

	private void findReserved(String name, String consequence) {
		if (this.registry.find(name) != null) {
			this.findings.report(FindingCode.RESERVED_NAME, name, name, "The policy '" + name
					+ "' has a name that the endpoint 'ratelimits' uses itself: " + consequence + ".");
		}
	}

}
