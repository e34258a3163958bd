package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Method;

import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.actuate.SimulationOperation;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;

/**
 * Answers requests for a simulation.
 */
final class SimulationRequests {

	static final Method HANDLE = ClassUtils.getMethod(SimulationRequests.class, "handle", HttpServletRequest.class);

	private final SimulationOperation operation = new SimulationOperation(SimulationJson::read);

	public ResponseEntity<?> handle(HttpServletRequest request) throws IOException {
		try {
			return OperationRequests
				.answer(this.operation.simulate(OperationRequests.BoundedBody.read(request, "simulation", tooLong())));
		}
		catch (InvalidOperationException ex) {
			return OperationRequests.answer(SimulationOperation.problem(ex));
		}
	}

	private static InvalidOperationException tooLong() {
		return new InvalidOperationException(413, "The simulation is longer than " + OverrideReader.LONGEST + " bytes.",
				"Simulate fewer requests.", null);
	}

}
