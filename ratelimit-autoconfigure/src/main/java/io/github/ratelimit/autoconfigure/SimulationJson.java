package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.simulation.Simulation;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the JSON of a simulation: its limits as those of an override, and numbers.
 */
final class SimulationJson {

	private static final String LIMITS = "limits";

	private static final String GAPS = "gaps";

	private static final String COSTS = "costs";

	private static final JsonOverrideReader READER = new JsonOverrideReader();

	private SimulationJson() {
	}

	/**
	 * Reads a simulation.
	 * @param json the object that was sent
	 * @return the simulation
	 * @throws InvalidOperationException if it is none
	 * @throws io.github.ratelimit.InvalidRateLimitException if its numbers cannot be
	 * simulated
	 */
	static Simulation read(String json) {
		JsonNode sent = OverrideJson.parse(json, "simulation",
				"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"gaps\": [0, 100, 100]}.");
		sent.propertyNames().forEach((name) -> OverrideJson.known(name, "$", List.of(LIMITS, GAPS, COSTS)));
		long @Nullable [] costs = sent.hasNonNull(COSTS) ? numbers(sent.get(COSTS), COSTS) : null;
		if (!sent.has(GAPS)) {
			throw OverrideJson.invalid("The member 'gaps' is missing.",
					"Give the milliseconds between the requests, such as [0, 100, 100].", "$." + GAPS);
		}
		long[] gaps = numbers(sent.get(GAPS), GAPS);
		List<RateLimit> limits = sent.has(LIMITS) ? READER.limits(new OverrideJson(sent.get(LIMITS))) : List.of();
		return new Simulation(limits, gaps, costs);
	}

	private static long[] numbers(JsonNode list, String name) {
		if (!list.isArray()) {
			throw OverrideJson.invalid("The member '" + name + "' is not a list.", "Write a list of whole numbers.",
					"$." + name);
		}
		if (list.size() > Simulation.MOST_REQUESTS) {
			throw OverrideJson.invalid(
					"The member '" + name + "' has more than " + Simulation.MOST_REQUESTS + " entries.",
					"Simulate fewer requests.", "$." + name);
		}
		long[] numbers = new long[list.size()];
		for (int i = 0; i < numbers.length; i++) {
			JsonNode number = list.get(i);
			if (!number.isIntegralNumber() || !number.canConvertToLong()) {
				String entry = name + "[" + i + "]";
				throw OverrideJson.invalid("The entry '" + entry + "' is not a whole number, or too large.",
						"Write the number in digits only, such as 100.", "$." + entry);
			}
			numbers[i] = number.longValue();
		}
		return numbers;
	}

}
