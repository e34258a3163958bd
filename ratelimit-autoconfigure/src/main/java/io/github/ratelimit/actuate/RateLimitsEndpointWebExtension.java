package io.github.ratelimit.actuate;

import io.github.ratelimit.actuate.RateLimitsEndpoint.KeyDescriptor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Web extension of {@link RateLimitsEndpoint}, which adds the HTTP status.
 *
 * @since 0.1.0
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
	 * Shows the state of a key, without changing it.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return 200 and the key's state, or 404 and the policies that exist
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> key(@Selector String policy, @Nullable String key) {
		KeyDescriptor found = this.delegate.key(policy, key);
		return (found != null) ? new WebEndpointResponse<>(found) : unknown(policy);
	}

	/**
	 * Resets a key, so that it has all its permits.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return 204, or 404 and the policies that exist
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> reset(@Selector String policy, @Nullable String key) {
		return (this.delegate.reset(policy, key) != null)
				? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT) : unknown(policy);
	}

	private WebEndpointResponse<OperationResponseBody> unknown(String policy) {
		return new WebEndpointResponse<>(this.delegate.unknown(policy), WebEndpointResponse.STATUS_NOT_FOUND);
	}

}
