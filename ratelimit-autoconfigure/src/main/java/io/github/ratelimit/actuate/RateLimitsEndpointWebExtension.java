package io.github.ratelimit.actuate;

import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Gives the endpoint's answers their HTTP status.
 */
@EndpointWebExtension(endpoint = RateLimitsEndpoint.class)
public final class RateLimitsEndpointWebExtension {

	private final RateLimitsEndpoint delegate;

	/**
	 * Creates the extension.
	 * @param delegate the endpoint
	 */
	public RateLimitsEndpointWebExtension(RateLimitsEndpoint delegate) {
		this.delegate = delegate;
	}

	/**
	 * Makes a key as good as new.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return 204, or 404 if there is no such policy
	 */
	@DeleteOperation
	public WebEndpointResponse<Void> reset(@Selector String policy, String key) {
		boolean found = this.delegate.reset(policy, key);
		return new WebEndpointResponse<>(
				found ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
	}

}
