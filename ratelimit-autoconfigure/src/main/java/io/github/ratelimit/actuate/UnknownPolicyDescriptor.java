package io.github.ratelimit.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Answer to a request for a policy that does not exist.
 *
 * @param message the mistake
 * @param policies the names of the policies that exist
 */
record UnknownPolicyDescriptor(String message, List<String> policies) implements OperationResponseBody {
}
