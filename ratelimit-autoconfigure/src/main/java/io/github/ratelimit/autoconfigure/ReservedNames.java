package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.util.ClassUtils;

/**
 * Finds policies whose name is that of something else below the endpoint.
 */
final class ReservedNames implements ApplicationListener<ApplicationStartedEvent> {

	private static final List<String> SIMULATING = List.of("org.springframework.web.servlet.DispatcherServlet",
			"tools.jackson.core.json.JsonFactory");

	private final RateLimiterRegistry registry;

	private final RateLimitFindings findings;

	ReservedNames(RateLimiterRegistry registry, RateLimitFindings findings) {
		this.registry = registry;
		this.findings = findings;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		if (event.getApplicationContext().containsBean(EndpointFindings.WEB_EXTENSION)) {
			look("page", "what is there without a key is the page");
			ClassLoader classLoader = event.getApplicationContext().getClassLoader();
			if (SIMULATING.stream().allMatch((type) -> ClassUtils.isPresent(type, classLoader))) {
				look("simulate", "the playground of the page cannot simulate");
			}
		}
	}

	private void look(String name, String consequence) {
		if (this.registry.find(name) != null) {
			this.findings.report(FindingCode.RESERVED_NAME, name, name, "The policy '" + name
					+ "' has a name that the endpoint 'ratelimits' uses itself: " + consequence + ".");
		}
	}

}
