package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of what other limits would have done to the traffic of a policy. Times are
 * in seconds, and shares from 0 to 1.
 *
 * @param policy the policy's name
 * @param since when the observation began
 * @param seconds how long it has lasted
 * @param callers the number of callers
 * @param requests the number of requests
 * @param sampledCallers how many callers were sampled
 * @param curves the rates, with what each burst would have rejected
 * @param suggestion the limit to try, or {@code null} if there is none
 * @param missing what keeps a limit from being suggested
 * @param notes what to know of the numbers, whether or not a limit is suggested
 */
record AdviceDescriptor(String policy, Instant since, long seconds, long callers, long requests, int sampledCallers,
		List<Advice.Curve> curves, Advice.@Nullable Suggestion suggestion, List<String> missing,
		List<String> notes) implements OperationResponseBody {

	static AdviceDescriptor of(StoreRateLimiter limiter, Advice advice) {
		return new AdviceDescriptor(limiter.policy().name(), advice.since(), advice.time().toSeconds(),
				advice.callers(), advice.requests(), advice.sampledCallers(), advice.curves(), advice.suggestion(),
				advice.missing(), notes(limiter, advice));
	}

	private static List<String> notes(StoreRateLimiter limiter, Advice advice) {
		Set<String> charges = new TreeSet<>();
		Stream.concat(Stream.of(limiter.policy().charge()), limiter.locations().stream().map(AppliedLocation::charge))
			.filter(Objects::nonNull)
			.forEach(charges::add);
		List<String> notes = new ArrayList<>(advice.notes());
		if (!charges.isEmpty()) {
			notes.add("Every request counts with what it costs when it comes, and not with what it is charged "
					+ "in the end (" + String.join(", ", charges) + "): one that is refunded counts, too.");
		}
		return notes;
	}

}
