package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.actuate.RateLimitsEndpoint.LimitDescriptor;
import io.github.ratelimit.simulation.SimulatedLimit;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of what limits would make of given traffic.
 *
 * @param limits what each of them would, in the order in which they were sent
 */
record SimulationDescriptor(List<SimulatedLimitDescriptor> limits) implements OperationResponseBody {

	static SimulationDescriptor of(List<SimulatedLimit> limits) {
		return new SimulationDescriptor(limits.stream().map(SimulatedLimitDescriptor::of).toList());
	}

	/**
	 * Description of what one limit would make of it.
	 *
	 * @param limit the limit
	 * @param requests the number of requests, by outcome
	 * @param longestDelay the longest that a request waits, in seconds
	 * @param delays for each request the milliseconds that it waits, or -1 if it is
	 * rejected
	 */
	record SimulatedLimitDescriptor(LimitDescriptor limit, Map<String, Long> requests, BigDecimal longestDelay,
			long[] delays) {

		static SimulatedLimitDescriptor of(SimulatedLimit simulated) {
			Map<String, Long> requests = new TreeMap<>(
					Map.of(RateLimitOutcome.ALLOWED.id(), simulated.allowed(), RateLimitOutcome.DELAYED.id(),
							simulated.delayed(), RateLimitOutcome.REJECTED.id(), simulated.rejected()));
			return new SimulatedLimitDescriptor(LimitDescriptor.of(simulated.limit()), requests,
					DurationText.seconds(simulated.longestDelay()), simulated.delays());
		}

	}

}
