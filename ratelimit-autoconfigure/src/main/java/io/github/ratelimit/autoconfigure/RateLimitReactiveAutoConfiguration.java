package io.github.ratelimit.autoconfigure;

import java.lang.reflect.AnnotatedElement;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.reactive.RateLimitExceptionHandler;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.web.reactive.result.method.AbstractHandlerMethodMapping;

/**
 * Auto-configuration for reactive web applications: answers what limited services reject.
 * Requests cannot be limited there, so it fails start-up instead of allowing all of them.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(AbstractHandlerMethodMapping.class)
@ConditionalOnBean(RateLimitAutoConfiguration.class)
public final class RateLimitReactiveAutoConfiguration {

	private static final String USE_MVC = "use Spring MVC: replace spring-boot-starter-webflux by "
			+ "spring-boot-starter-webmvc.";

	@Bean
	RateLimitExceptionHandler rateLimitExceptionHandler(RateLimiterRegistry limiter, RateLimitHeaders headers) {
		return new RateLimitExceptionHandler(limiter, headers, new RateLimitProblem(headers));
	}

	/*
	 * There is no filter that enforces rules, and a rejected handler would answer with
	 * 500 and without headers.
	 */
	@Bean
	SmartInitializingSingleton rateLimitUnsupportedReactiveLimits(RateLimitProperties properties,
			ObjectProvider<AbstractHandlerMethodMapping<?>> mappings) {
		return () -> {
			if (!properties.rules().isEmpty()) {
				throw InvalidRateLimitException.property("ratelimit.rules", null,
						"would have no effect, because this is a reactive web application",
						"Remove the rules and annotate services that the handlers call, or " + USE_MVC, null);
			}
			mappings.stream()
				.flatMap((mapping) -> mapping.getHandlerMethods().values().stream())
				.filter((handler) -> isLimited(handler.getMethod()) || isLimited(handler.getBeanType()))
				.findFirst()
				.ifPresent((handler) -> {
					throw InvalidRateLimitException.of("@RateLimited on the handler " + handler.getShortLogMessage(),
							"cannot be enforced, because handlers of a reactive web application are not supported",
							"Annotate a method of a service that the handler calls, or " + USE_MVC, null);
				});
		};
	}

	private static boolean isLimited(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(RateLimited.class);
	}

}
