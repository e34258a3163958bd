package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.springdoc.LimitedOperations;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration for springdoc: documents the rejections and header fields of limited
 * operations.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RateLimitServletAutoConfiguration.class)
@ConditionalOnClass({ GlobalOpenApiCustomizer.class, GlobalOperationCustomizer.class })
@ConditionalOnBean({ RateLimitServletAutoConfiguration.class, RateLimiterRegistry.class })
@ConditionalOnBooleanProperty(name = "ratelimit.springdoc.enabled", matchIfMissing = true)
public final class RateLimitSpringDocAutoConfiguration {

	@Bean
	LimitedOperations rateLimitLimitedOperations(RateLimitProperties properties,
			ObjectProvider<RateLimitRejectionHandler> handlers) {
		List<HeaderName> fields = new ArrayList<>();
		List<HeaderName> ofRejections = new ArrayList<>(List.of(HeaderName.RETRY_AFTER));
		if (properties.headers().contains(HeaderFamily.RATE_LIMIT)) {
			fields.addAll(List.of(HeaderName.RATE_LIMIT_POLICY, HeaderName.RATE_LIMIT));
		}
		if (properties.headers().contains(HeaderFamily.X_RATE_LIMIT)) {
			fields.addAll(List.of(HeaderName.X_RATE_LIMIT_LIMIT, HeaderName.X_RATE_LIMIT_REMAINING,
					HeaderName.X_RATE_LIMIT_RESET));
			ofRejections.add(HeaderName.X_RATE_LIMIT_RETRY_AFTER);
		}
		return new LimitedOperations(fields.stream().map(HeaderName::text).toList(),
				ofRejections.stream().map(HeaderName::text).toList(),
				!handlers.stream().allMatch(ServletRateLimits::isProblem));
	}

	@Bean
	GlobalOperationCustomizer rateLimitHandlerDocumentation(LimitedOperations operations) {
		return operations.ofHandlers();
	}

	@Bean
	GlobalOpenApiCustomizer rateLimitRuleDocumentation(LimitedOperations operations, RulesByPhase rules,
			Environment environment) {
		return operations.ofRules(rules.all(),
				StringUtils.trimTrailingCharacter(environment.getProperty("spring.mvc.servlet.path", ""), '/'));
	}

}
