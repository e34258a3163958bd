package io.github.ratelimit.autoconfigure;

import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.ReadableText;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.simulation.Simulation;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the JSON of a simulation: its limits as those of an override, and numbers.
 */
final class SimulationJson {

	private static final String LIMITS = "limits";

	private static final String GAPS = "gaps";

	private static final String COSTS = "costs";

	private static final JsonOverrideReader READER = new JsonOverrideReader();

	private @Nullable OverrideJson limits;

	private long @Nullable [] gaps;

	private long @Nullable [] costs;

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
		SimulationJson read = new SimulationJson();
		OverrideJson.readObject(json, "simulation",
				"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"gaps\": [0, 100, 100]}.",
				read::member);
		return read.simulation();
	}

	private void member(JsonParser parser) {
		String name = parser.currentName();
		parser.nextToken();
		switch (name) {
			case LIMITS -> this.limits = OverrideJson.readLimits(parser);
			case GAPS -> this.gaps = numbers(parser, name);
			case COSTS -> this.costs = parser.hasToken(JsonToken.VALUE_NULL) ? null : numbers(parser, name);
			default -> {
				String shown = ReadableText.of(name);
				throw OverrideJson.invalid("The member '" + shown + "' is not known.",
						Suggestion.of(shown, List.of(LIMITS, GAPS, COSTS)), "$." + shown);
			}
		}
	}

	private static long[] numbers(JsonParser parser, String name) {
		if (!parser.hasToken(JsonToken.START_ARRAY)) {
			throw OverrideJson.invalid("The member '" + name + "' is not a list.", "Write a list of whole numbers.",
					"$." + name);
		}
		long[] numbers = new long[Simulation.MOST_REQUESTS];
		int count = 0;
		while (parser.nextToken() != JsonToken.END_ARRAY) {
			if (count == numbers.length) {
				throw OverrideJson.invalid("The member '" + name + "' has more than " + count + " entries.",
						"Simulate fewer requests.", "$." + name);
			}
			numbers[count] = number(parser, name + "[" + count + "]");
			count++;
		}
		return Arrays.copyOf(numbers, count);
	}

	private static long number(JsonParser parser, String name) {
		boolean whole = parser.hasToken(JsonToken.VALUE_NUMBER_INT)
				&& parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
		if (!whole) {
			throw OverrideJson.invalid("The entry '" + name + "' is not a whole number, or too large.",
					"Write the number in digits only, such as 100.", "$." + name);
		}
		return parser.getLongValue();
	}

	private Simulation simulation() {
		if (this.gaps == null) {
			throw OverrideJson.invalid("The member 'gaps' is missing.",
					"Give the milliseconds between the requests, such as [0, 100, 100].", "$." + GAPS);
		}
		List<RateLimit> limits = (this.limits != null) ? READER.limits(this.limits) : List.of();
		return new Simulation(limits, this.gaps, this.costs);
	}

}
