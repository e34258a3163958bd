package io.github.ratelimit.autoconfigure;

import java.util.Map;
import java.util.stream.Stream;

import io.github.ratelimit.web.servlet.MvcRateLimits;
import io.github.ratelimit.web.servlet.ServletRateLimits;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerAdapter;

/**
 * Limits the requests of a servlet application that come on the actuator's own port. Its
 * server has the filters of its own context alone, and its dispatcher that context's
 * handler adapters, while Spring WebFlux looks for both in the application, too.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnBean(type = "io.github.ratelimit.web.servlet.ServletRateLimits")
@Import(RateLimitFilterConfiguration.class)
class RateLimitManagementServerConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(type = "io.github.ratelimit.web.servlet.MvcRateLimits")
	static class MvcConfiguration {

		/*
		 * The adapter that Spring Boot puts in front of the others would call this one.
		 */
		@Bean
		HandlerAdapter rateLimitDelayedHandlerAdapter(ListableBeanFactory context, ServletRateLimits limits) {
			return MvcRateLimits.handlerAdapter(() -> others(context), limits);
		}

		private static Stream<HandlerAdapter> others(ListableBeanFactory context) {
			Map<String, HandlerAdapter> adapters = context.getBeansOfType(HandlerAdapter.class);
			return adapters.keySet()
				.stream()
				.filter((name) -> !name.equals(DispatcherServlet.HANDLER_ADAPTER_BEAN_NAME))
				.map(adapters::get)
				.sorted(AnnotationAwareOrderComparator.INSTANCE);
		}

	}

}
