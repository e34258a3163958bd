package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.simulation.SimulatedLimit;
import io.github.ratelimit.simulation.Simulation;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Shows what limits would make of given traffic. It changes nothing, and looks at nothing
 * of the application.
 */
final class SimulationOperation {

	/** The title of each problem. */
	static final String NOT_DONE = "Not simulated";

	private final Function<String, Simulation> reader;

	/* One at a time leaves the other processors to the application. */
	private final AtomicBoolean busy = new AtomicBoolean();

	/**
	 * Creates the operation.
	 * @param reader reads a simulation from JSON, or throws an
	 * {@link InvalidOperationException} or an {@link InvalidRateLimitException}
	 */
	SimulationOperation(Function<String, Simulation> reader) {
		this.reader = reader;
	}

	/**
	 * Computes a simulation, unless another one is being computed.
	 * @param json the simulation
	 * @return 200 and the outcomes, or the problem
	 */
	WebEndpointResponse<Object> simulate(String json) {
		if (!this.busy.compareAndSet(false, true)) {
			return problem(503, "Another simulation is being computed.", "Try again in a second.", null);
		}

		try {
			return new WebEndpointResponse<>(SimulationDescriptor.of(this.reader.apply(json).run()));
		}
		catch (InvalidOperationException ex) {
			return ex.answer();
		}
		catch (InvalidRateLimitException ex) {
			return problem(400, ex.getMessage() + ".", ex.action(), "$." + ex.attribute());
		}
		catch (TimeoutException ex) {
			return problem(503,
					"The simulation takes longer than " + Simulation.MAX_COMPUTATION.toMillis() + " ms to compute.",
					"Try again, or simulate fewer requests.", null);
		}
		finally {
			this.busy.set(false);
		}
	}

	private static WebEndpointResponse<Object> problem(int status, String detail, @Nullable String action,
			@Nullable String path) {
		return new InvalidOperationException(NOT_DONE, status, detail, action, path, null).answer();
	}

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

}
