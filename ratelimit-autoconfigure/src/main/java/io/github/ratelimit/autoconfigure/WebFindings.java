package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.rules.RateLimitRule;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.springframework.web.filter.ForwardedHeaderFilter;

/**
 * Finds rules that reject what should never be rejected, logins that no rule limits, and
 * what else applies the forwarded fields of proxies, besides
 * {@code server.forward-headers-strategy}, which fails start-up.
 *
 * @param context the application, which has just started
 * @param properties its properties
 * @param registry its policies
 * @param findings takes what is found
 */
record WebFindings(ApplicationContext context, RateLimitProperties properties, RateLimiterRegistry registry,
		RateLimitFindings findings) {

	private static final String SECURITY = "springSecurityFilterChain";

	private static final String REACTIVE_SECURITY = "org.springframework.security.config.annotation.web.reactive."
			+ "WebFluxSecurityConfiguration.WebFilterChainFilter";

	/* Spring's name of the bean that does so in reactive applications. */
	private static final String FORWARDED = "forwardedHeaderTransformer";

	private static final Pattern DEEP = Pattern.compile("\\*\\*|\\{\\*[^}]*}");

	private static final Pattern PATH = Pattern.compile("PathPattern \\[(?:[A-Z]+ )?(/[^\\]]*)\\]");

	private static final Pattern PATHS = Pattern.compile("(?:Or \\[)?(?:" + PATH + "(?:, )?)+\\]?");

	private static final String REMOTE_IP = "server.tomcat.remoteip.";

	private static final String ENDPOINTS = "org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints";

	void report() {
		boolean servlet = this.context.containsBean("servletRateLimits");
		if (!this.properties.clientAddress().trustedProxies().isEmpty()) {
			reportSecondProxy(servlet);
		}

		List<RateLimitRule> rules = this.context.getBean(RuleCompiler.BEAN_NAME, RuleCompiler.class).all();
		List<String> health = healthPaths();
		for (RateLimitRule rule : rules) {
			if (rule.isDefinedToEnforce()) {
				if (servlet) {
					reportLimitedPreflights(rule);
				}
				reportLimitedHealth(rule, health);
			}
		}

		if (this.context.containsBean(SECURITY)) {
			this.registry.policies()
				.stream()
				.filter((limiter) -> isOfLogins(limiter) && !limiter.appliedTo().isEmpty())
				.findFirst()
				.ifPresent((login) -> reportUnlimitedBasic(login.policy().name(), rules));
		}
	}

	/**
	 * Whether there is Spring Security.
	 */
	static boolean isSecured(BeanFactory beans) {
		return beans.containsBean(SECURITY) || beans.containsBean(REACTIVE_SECURITY);
	}

	private void reportSecondProxy(boolean servlet) {
		String other = null;
		if (servlet) {
			other = secondServletProxy();
		}
		else if (this.context.containsBean(FORWARDED)) {
			other = "a ForwardedHeaderTransformer does";
		}

		if (other != null) {
			this.findings.report(FindingCode.FORWARDED_TWICE, null, "proxies",
					"ratelimit.client-address.trusted-proxies applies forwarded fields, and " + other + " too.");
		}
	}

	private @Nullable String secondServletProxy() {
		Environment environment = this.context.getEnvironment();
		if (StringUtils.hasText(environment.getProperty(REMOTE_IP + "remote-ip-header"))
				|| StringUtils.hasText(environment.getProperty(REMOTE_IP + "protocol-header"))) {
			return "Tomcat does, because of " + REMOTE_IP + "*";
		}
		return hasForwardedHeaderFilter() ? "a ForwardedHeaderFilter does" : null;
	}

	/*
	 * A filter that is a bean runs unless it has a registration that is turned off.
	 */
	private boolean hasForwardedHeaderFilter() {
		boolean runs = false;
		Set<Object> registered = Collections.newSetFromMap(new IdentityHashMap<>());
		for (FilterRegistrationBean<?> each : this.context.getBeansOfType(FilterRegistrationBean.class).values()) {
			runs |= each.isEnabled() && each.getFilter() instanceof ForwardedHeaderFilter;
			registered.add(each.getFilter());
		}
		return runs || !registered.containsAll(this.context.getBeansOfType(ForwardedHeaderFilter.class).values());
	}

	/* Spring's own preflights are never limited. */
	private void reportLimitedPreflights(RateLimitRule rule) {
		if (rule.methods().contains(HttpMethod.OPTIONS.name())) {
			report(FindingCode.LIMITED_PREFLIGHTS, rule, " has the method OPTIONS: a browser whose preflight is "
					+ "rejected shows a failure of the network.");
		}
	}

	private static boolean isOfLogins(RateLimiter limiter) {
		String charge = limiter.policy().charge();
		return limiter.policy().mode() == RateLimitMode.ENFORCE && charge != null
				&& charge.contains("authenticationFailed");
	}

	/*
	 * A rule's condition counts as none: only who wrote it knows what it leaves out.
	 */
	private void reportUnlimitedBasic(String login, List<RateLimitRule> rules) {
		for (String accepting : basicPaths()) {
			PathContainer path = PathContainer
				.parsePath(DEEP.matcher(accepting).replaceAll("-/-/-").replaceAll("\\*|\\{[^}]*}", "-"));
			boolean limited = rules.stream()
				.anyMatch((rule) -> isOfLogins(rule.binding().limiter()) && rule.methods().isEmpty()
						&& rule.appliesTo(path));

			if (!limited) {
				this.findings.report(FindingCode.UNLIMITED_BASIC, login, accepting,
						"Spring Security accepts HTTP Basic on " + accepting
								+ ", where no rule limits the logins that fail, as the policy '" + login
								+ "' does elsewhere.");
			}
		}
	}

	private void reportLimitedHealth(RateLimitRule rule, List<String> health) {
		boolean reads = rule.methods().isEmpty() || rule.methods().contains(HttpMethod.GET.name());
		if (reads && rule.binding().location().condition() == null) {
			health.stream()
				.filter((path) -> rule.appliesTo(PathContainer.parsePath(path)))
				.findFirst()
				.ifPresent((path) -> report(FindingCode.LIMITED_HEALTH, rule, " limits requests for " + path
						+ " too: a platform whose probe is rejected takes the application for ill."));
		}
	}

	private void report(FindingCode code, RateLimitRule rule, String what) {
		String policy = rule.binding().limiter().policy().name();
		String text = rule + " of the policy '" + policy + "'";
		this.findings.report(code, policy, text, "The rule " + text + what);
	}

	/*
	 * The patterns of the paths on which every request may have a password, by HTTP
	 * Basic. Those that cannot be recognized are left out. Needs Spring Security.
	 */
	private List<String> basicPaths() {
		if (!(this.context.getBean(SECURITY) instanceof FilterChainProxy proxy)) {
			return List.of();
		}
		return proxy.getFilterChains()
			.stream()
			.filter((chain) -> chain.getFilters().stream().anyMatch(BasicAuthenticationFilter.class::isInstance))
			.flatMap(WebFindings::patterns)
			.toList();
	}

	private static Stream<String> patterns(SecurityFilterChain chain) {
		if (!(chain instanceof DefaultSecurityFilterChain known)) {
			return Stream.empty();
		}
		String text = String.valueOf(known.getRequestMatcher());
		if (text.equals("any request")) {
			return Stream.of("/**");
		}
		if (!PATHS.matcher(text).matches()) {
			return Stream.empty();
		}
		return PATH.matcher(text).results().map((path) -> path.group(1));
	}

	/*
	 * The paths by which a platform probes the application's health, on whichever port:
	 * none if nothing probes it.
	 */
	private List<String> healthPaths() {
		boolean probed = StartFindings.isReachedByOthers(this.context.getEnvironment(), this.properties)
				&& ClassUtils.isPresent(ENDPOINTS, getClass().getClassLoader());
		return probed ? exposedHealthPaths() : List.of();
	}

	/* None if health is not exposed. Needs the actuator. */
	private List<String> exposedHealthPaths() {
		Environment environment = this.context.getEnvironment();
		PathMappedEndpoints endpoints = this.context.getBeanProvider(PathMappedEndpoints.class).getIfAvailable();
		if (endpoints == null || ManagementPortType.get(environment) == ManagementPortType.DISABLED) {
			return List.of();
		}
		String health = endpoints.getPath(EndpointId.of("health"));
		if (health == null) {
			return List.of();
		}

		List<String> paths = new ArrayList<>(List.of(health, health + "/liveness", health + "/readiness"));
		if (environment.getProperty("management.endpoint.health.probes.add-additional-paths", Boolean.class, false)) {
			paths.addAll(List.of("/livez", "/readyz"));
		}
		return paths;
	}

}
