package io.github.ratelimit.actuate;

import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for audit events of overrides.
 */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration")
@ConditionalOnClass(AuditApplicationEvent.class)
@ConditionalOnBean(PolicyBinder.class)
final class RateLimitAuditAutoConfiguration {

	/*
	 * Nobody asks for it: it observes.
	 */
	@Bean
	@Lazy(false)
	OverrideAudit rateLimitOverrideAudit(StoreRateLimiterRegistry registry, ApplicationEventPublisher publisher) {
		return new OverrideAudit(registry, publisher);
	}

}
