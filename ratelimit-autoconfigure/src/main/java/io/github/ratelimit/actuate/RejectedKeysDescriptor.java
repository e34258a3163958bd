package io.github.ratelimit.actuate;

import java.util.List;

import io.github.ratelimit.advice.RejectedKey;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of the keys that a policy rejected most.
 *
 * @param policy the policy's name
 * @param keys the keys, most rejected first
 */
record RejectedKeysDescriptor(String policy, List<RejectedKey> keys) implements OperationResponseBody {

	static RejectedKeysDescriptor of(String policy, List<RejectedKey> keys, boolean showsKeys) {
		return new RejectedKeysDescriptor(policy, showsKeys ? keys
				: keys.stream().map((key) -> new RejectedKey(null, key.hash(), key.rejected(), key.error())).toList());
	}

}
