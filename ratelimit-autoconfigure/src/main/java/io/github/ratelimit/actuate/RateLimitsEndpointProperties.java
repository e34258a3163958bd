package io.github.ratelimit.actuate;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for the endpoint.
 *
 * @param showKeys When to show the keys that were rejected most. Otherwise, only their
 * hashes are shown.
 * @param roles Roles that users must have one of to be shown the keys. If empty, all
 * authenticated users are authorized.
 */
@ConfigurationProperties("management.endpoint.ratelimits")
record RateLimitsEndpointProperties(@DefaultValue("never") Show showKeys, @DefaultValue Set<String> roles) {
}
