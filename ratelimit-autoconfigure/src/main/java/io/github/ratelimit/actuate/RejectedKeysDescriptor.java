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
}
