package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.web.filter.ForwardedHeaderFilter;

/**
 * Finds a second one that applies what proxies forward, besides
 * {@code server.forward-headers-strategy}, which fails start-up.
 */
final class ProxyFindings implements ApplicationListener<ApplicationStartedEvent> {

	private static final String REMOTE_IP = "server.tomcat.remoteip.";

	private final RateLimitProperties properties;

	private final RateLimitFindings findings;

	ProxyFindings(RateLimitProperties properties, RateLimitFindings findings) {
		this.properties = properties;
		this.findings = findings;
	}

	@Override
	public void onApplicationEvent(ApplicationStartedEvent event) {
		if (this.properties.clientAddress().trustedProxies().isEmpty()) {
			return;
		}
		ApplicationContext context = event.getApplicationContext();
		Environment environment = context.getEnvironment();
		if (isSet(environment, "remote-ip-header") || isSet(environment, "protocol-header")) {
			report("Tomcat does, because of " + REMOTE_IP + "*");
		}
		else if (hasFilter(context)) {
			report("a ForwardedHeaderFilter does");
		}
	}

	private static boolean isSet(Environment environment, String property) {
		return StringUtils.hasText(environment.getProperty(REMOTE_IP + property));
	}

	private static boolean hasFilter(ApplicationContext context) {
		return context.getBeanProvider(ForwardedHeaderFilter.class).stream().findAny().isPresent()
				|| context.getBeansOfType(FilterRegistrationBean.class)
					.values()
					.stream()
					.anyMatch((registration) -> registration.getFilter() instanceof ForwardedHeaderFilter);
	}

	private void report(String other) {
		this.findings.report(FindingCode.FORWARDED_TWICE, null, "proxies",
				"ratelimit.client-address.trusted-proxies applies forwarded fields, and " + other + " too.");
	}

}
