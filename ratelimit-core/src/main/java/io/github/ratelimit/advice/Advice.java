package io.github.ratelimit.advice;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What token buckets of other rates and bursts would have done to the traffic of a
 * policy.
 *
 * @param since when the observation began
 * @param time how long it has lasted
 * @param callers how many callers there were, estimated if they are more than the sampled
 * @param requests how many requests there were
 * @param sampledCallers how many callers were sampled
 * @param curves for each rate, what each burst would have rejected
 * @param suggestion the limit to try, or {@code null} if there is none
 * @param missing what keeps a limit from being suggested; empty if one is
 * @param notes what to know of the numbers, whether or not a limit is suggested
 * @since 0.1.0
 */
public record Advice(Instant since, Duration time, long callers, long requests, int sampledCallers, List<Curve> curves,
		@Nullable Suggestion suggestion, List<String> missing, List<String> notes) {

	/**
	 * A rate.
	 *
	 * @param limit the permits per window
	 * @param window the window in seconds
	 * @param points what each burst would have rejected, smallest first
	 */
	public record Curve(long limit, BigDecimal window, List<Point> points) {
	}

	/**
	 * A burst at a rate.
	 *
	 * @param burst the token bucket's capacity
	 * @param callers the share of callers that would have been rejected at least once
	 * @param requests the share of requests that would have been rejected
	 */
	public record Point(long burst, double callers, double requests) {
	}

	/**
	 * A limit to try.
	 *
	 * @param limit the permits per window
	 * @param window the window in seconds
	 * @param burst the token bucket's capacity
	 * @param callers the share of callers that would have been rejected at least once
	 * @param requests the share of requests that would have been rejected
	 * @param text the numbers in words
	 * @param yaml the policy in shadow, as a configuration file has it
	 * @param doubts why the numbers may not hold
	 */
	public record Suggestion(long limit, BigDecimal window, long burst, double callers, double requests, String text,
			String yaml, List<String> doubts) {
	}

}
