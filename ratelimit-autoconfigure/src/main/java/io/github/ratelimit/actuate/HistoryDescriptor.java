package io.github.ratelimit.actuate;

import java.time.Instant;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of what a policy decided lately.
 *
 * @param policy the policy's name
 * @param step the length of each step in seconds
 * @param end when the last step ended
 * @param requests the requests in each step, oldest first
 */
record HistoryDescriptor(String policy, int step, Instant end,
		RequestsDescriptor requests) implements OperationResponseBody {

	/**
	 * Description of requests by what became of them.
	 *
	 * @param allowed passed at once; also all that were only decided on in shadow
	 * @param delayed passed after waiting
	 * @param rejected rejected, for whatever reason
	 * @param wouldBeRejected would have been rejected by what is tried in shadow
	 */
	record RequestsDescriptor(int[] allowed, int[] delayed, int[] rejected, int[] wouldBeRejected) {
	}

}
