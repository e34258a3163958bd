package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.EndpointParts;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.actuate.RateLimitHistory;
import io.github.ratelimit.actuate.RateLimitsEndpoint;
import io.github.ratelimit.actuate.RateLimitsEndpointWebExtension;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration for {@link RateLimitsEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RateLimitAutoConfiguration.class)
@ConditionalOnAvailableEndpoint(RateLimitsEndpoint.class)
@EnableConfigurationProperties(RateLimitsEndpointProperties.class)
public final class RateLimitEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RateLimitsEndpoint rateLimitsEndpoint(RateLimiterRegistry registry, RateLimitProperties properties,
			ObjectProvider<KeyResolver> keyResolver, ListableBeanFactory beanFactory, Environment environment,
			ObjectProvider<OverrideReader> reader, RateLimitHistory history,
			ObjectProvider<RateLimitStoreAvailability> availability, ObjectProvider<EndpointAccessResolver> access,
			FindingsLifecycle findings) {
		return new RateLimitsEndpoint(registry, DefaultKey.describe(properties, keyResolver, beanFactory),
				ClientAddresses.resolver(properties.clientAddress(), environment)::normalize, reader.getIfAvailable(),
				new EndpointParts(history, availability.getIfAvailable(), isWritable(access.getIfAvailable()),
						findings::list));
	}

	static boolean isWritable(@Nullable EndpointAccessResolver access) {
		return access == null || access.accessFor(EndpointId.of("ratelimits"), Access.READ_ONLY) == Access.UNRESTRICTED;
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitHistory rateLimitHistory(RateLimiterRegistry registry, RateLimitClock clock) {
		return new RateLimitHistory(registry, clock);
	}

	@Bean
	EndpointFindings rateLimitEndpointFindings(RateLimitProperties properties, RateLimiterRegistry registry,
			ObjectProvider<EndpointAccessResolver> access, RateLimitFindings findings) {
		return new EndpointFindings(properties, registry, access, findings);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RateLimitsEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	RateLimitsEndpointWebExtension rateLimitsEndpointWebExtension(RateLimitsEndpoint endpoint,
			RateLimitsEndpointProperties properties) {
		return new RateLimitsEndpointWebExtension(endpoint, properties.showKeys(), properties.roles());
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JsonMapper.class)
	static class ReaderConfiguration {

		@Bean
		@ConditionalOnMissingBean(OverrideReader.class)
		JsonOverrideReader rateLimitOverrideReader() {
			return new JsonOverrideReader();
		}

	}

	/**
	 * Finds that anybody can change limits: others than the developer reach the
	 * application, the endpoint can be written on the same port, and there is no Spring
	 * Security. Finds policies, too, whose name is that of something else below the
	 * endpoint.
	 */
	static final class EndpointFindings implements ApplicationListener<ApplicationStartedEvent> {

		static final String WEB_EXTENSION = "rateLimitsEndpointWebExtension";

		private static final String SECURITY = "springSecurityFilterChain";

		private static final List<String> SIMULATING = List.of("org.springframework.web.servlet.DispatcherServlet",
				"tools.jackson.databind.json.JsonMapper");

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
					findReserved("simulate", "what is sent there to override it is taken for a simulation");
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

}
