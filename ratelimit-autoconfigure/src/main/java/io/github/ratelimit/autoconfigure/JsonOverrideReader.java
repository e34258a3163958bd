package io.github.ratelimit.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.simulation.Simulation;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Reads an override as if it stood in a configuration file, with the same checks and the
 * same texts; and a simulation, whose limits are written in the same way.
 */
final class JsonOverrideReader implements OverrideReader {

	private static final String LIMITS = "limits";

	private static final String GAPS = "gaps";

	private static final String COSTS = "costs";

	private final BindHandler strict = new PropertyBinding().apply(BindHandler.DEFAULT);

	@Override
	public RateLimitOverride read(RateLimitOverride.Target target, String json, @Nullable String who) {
		if (json.length() > LONGEST) {
			throw OverrideReader.tooLong();
		}
		OverrideJson read = new OverrideJson(json);
		return bound(read, () -> {
			OverrideJson.OverrideProperties properties = bind(read, OverrideJson.OverrideProperties.class);
			return new RateLimitOverride(target, ConfiguredLimits.of(limitsOf(read), OverrideJson.PREFIX),
					properties.mode(), properties.duration(), properties.reason(), who);
		});
	}

	/**
	 * Reads a simulation.
	 * @param json the object that was sent
	 * @return the simulation
	 * @throws InvalidOperationException if it is none
	 * @throws io.github.ratelimit.InvalidRateLimitException if its numbers cannot be
	 * simulated
	 */
	Simulation simulation(String json) {
		JsonNode sent = OverrideJson.parse(json, "simulation",
				"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"gaps\": [0, 100, 100]}.");
		sent.propertyNames().forEach((name) -> OverrideJson.known(name, "$", List.of(LIMITS, GAPS, COSTS)));
		long @Nullable [] costs = sent.hasNonNull(COSTS) ? numbers(sent.get(COSTS), COSTS) : null;
		if (!sent.has(GAPS)) {
			throw OverrideJson.invalid("The member 'gaps' is missing.",
					"Give the milliseconds between the requests, such as [0, 100, 100].", "$." + GAPS);
		}
		long[] gaps = numbers(sent.get(GAPS), GAPS);
		List<RateLimit> limits = sent.has(LIMITS) ? limits(new OverrideJson(sent.get(LIMITS))) : List.of();
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

	private List<RateLimit> limits(OverrideJson read) {
		return bound(read, () -> ConfiguredLimits.of(limitsOf(read), OverrideJson.PREFIX));
	}

	private <T> T bound(OverrideJson read, Supplier<T> use) {
		try {
			return use.get();
		}
		catch (InvalidRateLimitException ex) {
			throw invalid(ex, read);
		}
		catch (BindException ex) {
			InvalidRateLimitException mistake = mistake(ex);
			throw (mistake != null) ? invalid(mistake, read) : invalid(ex, read);
		}
	}

	/* Limits are written in an override as in a plan. */
	private RateLimitProperties.Limits limitsOf(OverrideJson read) {
		return bind(read, RateLimitProperties.Plan.class);
	}

	private <T> T bind(OverrideJson read, Class<T> type) {
		return new Binder(new MapConfigurationPropertySource(read.values())).bindOrCreate(OverrideJson.PREFIX,
				Bindable.of(type), this.strict);
	}

	@Override
	public InvalidOperationException explain(String json, InvalidRateLimitException mistake) {
		OverrideJson read = new OverrideJson(json);
		return invalid(limitsOf(read).single().given().isEmpty() ? mistake : mistake.inSingleLimit(), read);
	}

	private static InvalidOperationException invalid(InvalidRateLimitException mistake, OverrideJson read) {
		InvalidRateLimitException inProperty = mistake.isCode() ? mistake.inProperty(OverrideJson.PREFIX) : mistake;
		return invalid(inProperty.getMessage() + ".", inProperty.action(), read.path(inProperty.attribute()));
	}

	private static InvalidOperationException invalid(String message, String action, String path) {
		return new InvalidOperationException(400, OverrideJson.ofMembers(message), OverrideJson.ofMembers(action),
				path);
	}

	private static @Nullable InvalidRateLimitException mistake(BindException failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof InvalidRateLimitException mistake) {
				return mistake;
			}
		}
		return null;
	}

	/*
	 * What cannot be converted to a number or to one of the known values.
	 */
	private static InvalidOperationException invalid(BindException mistake, OverrideJson read) {
		String path = read.path(mistake.getName().toString());
		Object value = read.values().get(mistake.getName().toString());
		String subject = "The property '" + mistake.getName() + "' with the value '" + value + "' is ";
		Class<?> type = mistake.getTarget().getType().toClass();
		if (type.isEnum()) {
			List<String> known = Arrays.stream(type.getEnumConstants())
				.map((constant) -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
				.toList();
			return invalid(subject + "not a known value.", Suggestion.of(String.valueOf(value), known), path);
		}
		return (ClassUtils.resolvePrimitiveIfNecessary(type) == Boolean.class)
				? invalid(subject + "neither true nor false.", "Write true or false.", path)
				: invalid(subject + "not a whole number, or too large.",
						"Write the number in digits only, such as 100.", path);
	}

}
