package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.springdoc.RejectionDocumentation;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;

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
@ConditionalOnBean(RateLimitServletAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "ratelimit.springdoc.enabled", matchIfMissing = true)
public final class RateLimitSpringDocAutoConfiguration {

	@Bean
	RejectionDocumentation rateLimitRejectionDocumentation(RateLimitProperties properties,
			ObjectProvider<RateLimitRejectionHandler> handlers, RateLimitedMethods methods, RuleCompiler rules,
			Environment environment) {
		// what a handler is given of its limits is no parameter of its clients
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(RateLimitInfo.class);
		return new RejectionDocumentation(properties.headers(), handlers.stream().findAny().isPresent(), methods,
				rules::all,
				StringUtils.trimTrailingCharacter(environment.getProperty("spring.mvc.servlet.path", ""), '/'));
	}

}
