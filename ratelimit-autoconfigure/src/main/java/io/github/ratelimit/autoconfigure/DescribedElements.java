package io.github.ratelimit.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.Name;

/**
 * What maps and lists of properties contain, for Spring Boot's annotation processor,
 * which otherwise describes no elements. Nothing is bound to it.
 */
@ConfigurationProperties("ratelimit")
record DescribedElements(@NestedConfigurationProperty @Name("policies.*") RateLimitProperties.Policy policy,
		@NestedConfigurationProperty @Name("policies.*.limits[*]") RateLimitProperties.Limit limit,
		@NestedConfigurationProperty @Name("policies.*.shadow-limits[*]") RateLimitProperties.Limit shadowLimit,
		@NestedConfigurationProperty @Name("policies.*.plans.*") RateLimitProperties.Plan plan,
		@NestedConfigurationProperty @Name("policies.*.plans.*.limits[*]") RateLimitProperties.Limit planLimit,
		@NestedConfigurationProperty @Name("rules[*]") RateLimitProperties.Rule rule) {
}
