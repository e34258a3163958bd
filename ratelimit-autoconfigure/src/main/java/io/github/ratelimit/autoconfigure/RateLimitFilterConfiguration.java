package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.servlet.AddressFilter;
import io.github.ratelimit.web.servlet.CompletedRequestsValve;
import io.github.ratelimit.web.servlet.RateLimitFilter;
import io.github.ratelimit.web.servlet.RateLimitFilter.Position;
import io.github.ratelimit.web.servlet.RateLimitRejections;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.apache.catalina.Valve;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The filters that enforce rules, for a server that answers requests of a servlet
 * application: its own, and that of its actuator if that has a port of its own. All of
 * them enforce the same rules, with the same states.
 */
@Configuration(proxyBeanMethods = false)
class RateLimitFilterConfiguration {

	/* Qualified, because applications have filters of their own by the short name. */
	private static final String FILTER = "io.github.ratelimit.RateLimitFilter";

	/* Spring Boot's bean for the filter of Spring Security. */
	private static final String SECURITY = "securityFilterChainRegistration";

	/* Spring Boot's filters for forwarded header fields and observations come before. */
	private static final int AFTER_CLIENT_ADDRESS = Ordered.HIGHEST_PRECEDENCE + 2;

	/* The order of Spring Security's filter, unless the application sets another. */
	private static final int DEFAULT_SECURITY_ORDER = -100;

	@Bean
	ServletContextInitializer rateLimitCompletedRequests(ServletRateLimits limits, RateLimitFindings findings) {
		return (context) -> limits.listen(context, findings);
	}

	/*
	 * It is left out where no addresses are configured, because each filter costs all
	 * requests something. Those that operators decide on meanwhile meet the next filter.
	 */
	@Bean
	@Conditional(OnAddresses.class)
	FilterRegistrationBean<Filter> rateLimitAddressFilter(ServletRateLimits limits, RateLimitProperties properties) {
		FilterRegistrationBean<Filter> registration = registration(new AddressFilter(limits), "rateLimitAddressFilter",
				AFTER_CLIENT_ADDRESS, DispatcherType.REQUEST);
		boolean used = properties.decidesOnAddresses();
		if (used) {
			limits.useGateFirst();
		}
		registration.setEnabled(used);
		return registration;
	}

	/*
	 * The rules are a parameter so that they are compiled before there are requests.
	 */
	@Bean(FILTER)
	FilterRegistrationBean<Filter> rateLimitFilter(RuleCompiler rules, RateLimitRejections rejections,
			ApplicationContext context) {
		int order = securityOrder(context, DEFAULT_SECURITY_ORDER);
		if (order > Ordered.HIGHEST_PRECEDENCE) {
			order -= 1;
		}
		return registration(new RateLimitFilter(Position.BEFORE_SECURITY, rejections), FILTER, order,
				DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC, DispatcherType.ERROR);
	}

	@Bean
	@Conditional(OnRules.class)
	FilterRegistrationBean<Filter> rateLimitPrincipalFilter(RuleCompiler rules, RateLimitRejections rejections,
			ApplicationContext context) {
		int order = securityOrder(context, Ordered.LOWEST_PRECEDENCE);
		if (order < Ordered.LOWEST_PRECEDENCE) {
			order += 1;
		}
		FilterRegistrationBean<Filter> registration = registration(
				new RateLimitFilter(Position.AFTER_SECURITY, rejections), "rateLimitPrincipalFilter", order,
				DispatcherType.REQUEST, DispatcherType.FORWARD);

		boolean readUser = rules.all().stream().anyMatch(RateLimitRule::isAfterSecurity);
		registration.setEnabled(RuleCompiler.MAY_CHANGE || readUser);
		return registration;
	}

	private static int securityOrder(ApplicationContext context, int withoutSecurity) {
		if (!context.containsBean(SECURITY)) {
			return withoutSecurity;
		}
		return context.getEnvironment()
			.getProperty("spring.security.filter.order", Integer.class, DEFAULT_SECURITY_ORDER);
	}

	@Bean
	FilterRegistrationBean<Filter> rateLimitInnermostFilter(RateLimitRejections rejections) {
		FilterRegistrationBean<Filter> registration = registration(new RateLimitFilter(Position.INNERMOST, rejections),
				"rateLimitInnermostFilter", Ordered.LOWEST_PRECEDENCE, DispatcherType.REQUEST, DispatcherType.FORWARD,
				DispatcherType.ASYNC);
		registration.setMatchAfter(true);
		return registration;
	}

	private static FilterRegistrationBean<Filter> registration(Filter filter, String name, int order,
			DispatcherType first, DispatcherType... others) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
		registration.setName(name);
		registration.setOrder(order);
		registration.setDispatcherTypes(first, others);
		return registration;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ TomcatServletWebServerFactory.class, Valve.class })
	static class TomcatConfiguration {

		/*
		 * Without an order it comes behind Spring Boot's own valves, of which one takes
		 * the client's address back when a request leaves it.
		 */
		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> rateLimitCompletedRequestsValve(
				ServletRateLimits limits, RateLimitFindings findings) {
			return (factory) -> factory.addEngineValves(CompletedRequestsValve.inPlaceOfListener(limits, findings));
		}

	}

	/**
	 * Addresses may come when an application starts that was built ahead of time.
	 */
	static final class OnAddresses implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return isConfigured("deny", context.getEnvironment()) || isConfigured("exempt", context.getEnvironment())
					|| Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
		}

		private static boolean isConfigured(String kind, Environment environment) {
			String property = "ratelimit." + kind + ".addresses";
			return environment.containsProperty(property) || environment.containsProperty(property + "[0]");
		}

	}

	/**
	 * Rules may come later: when the environment is refreshed, or when an application
	 * starts that was built ahead of time.
	 */
	static final class OnRules implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return context.getEnvironment().containsProperty("ratelimit.rules[0].path") || RuleCompiler.MAY_CHANGE
					|| Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
		}

	}

}
