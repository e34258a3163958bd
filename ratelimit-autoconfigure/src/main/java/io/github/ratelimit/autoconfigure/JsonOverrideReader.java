package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.ReadableText;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.simulation.Simulation;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
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

	/**
	 * The JSON of an override as the properties that would say the same in a
	 * configuration file.
	 */
	static final class OverrideJson {

		/* What the object is bound as, out of sight. */
		static final String PREFIX = "ratelimit.override";

		private static final String LIST = "limits";

		private static final int MOST_LIMITS = 100;

		private static final JsonMapper JSON = new JsonMapper(JsonFactory.builder()
			.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
			.streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(10).maxNumberLength(100).build())
			.build());

		/* The single limit may be written without the list, as in a plan. */
		private static final Set<String> MEMBERS = new TreeSet<>(
				PropertyNames.components(RateLimitProperties.Plan.class).keySet());

		static {
			MEMBERS.remove("unlimited");
			MEMBERS.addAll(PropertyNames.components(OverrideProperties.class).keySet());
		}

		private static final Set<String> OF_LIMIT = PropertyNames.components(RateLimitProperties.Limit.class).keySet();

		/* By the name of the property. */
		private final Map<String, Object> values = new LinkedHashMap<>();

		/* Where they are written, perhaps in another notation. */
		private final Map<String, String> paths = new LinkedHashMap<>();

		/**
		 * Reads an override.
		 * @param json the object
		 * @throws InvalidOperationException if it is no object, or has a member that is
		 * not known
		 */
		OverrideJson(String json) {
			members(parse(json, "override",
					"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"for\": \"2h\", "
							+ "\"reason\": \"too much load\"}."),
					PREFIX, "$", MEMBERS);
		}

		/**
		 * Reads limits only.
		 * @param limits the list
		 * @throws InvalidOperationException if it is no such list
		 */
		OverrideJson(JsonNode limits) {
			list(limits, PREFIX + "." + LIST, "$." + LIST);
		}

		/**
		 * Parses any object.
		 * @param json the object
		 * @param what what it should be, such as {@code override}
		 * @param action what to send instead of what is none
		 * @return the object
		 * @throws InvalidOperationException if it is no object
		 */
		static JsonNode parse(String json, String what, String action) {
			try (JsonParser parser = JSON.createParser(json)) {
				JsonNode sent = parser.readValueAsTree();
				if (sent == null || !sent.isObject()) {
					throw invalid("The " + what + " is not a JSON object.", action, "$");
				}
				if (parser.nextToken() != null) {
					throw invalid("Something follows the " + what + ".", action, "$");
				}
				return sent;
			}
			catch (JacksonException ex) {
				TokenStreamLocation place = ex.getLocation();
				throw invalid("The " + what + " is not valid JSON"
						+ ((place != null) ? ", at line " + place.getLineNr() + ", column " + place.getColumnNr() : "")
						+ ": " + ReadableText.of(ex.getOriginalMessage()) + ".", action, "$");
			}
		}

		Map<String, Object> values() {
			return this.values;
		}

		/**
		 * Where a property was written.
		 * @param property its full name
		 * @return its path, such as {@code $.limits[0].window}
		 */
		String path(String property) {
			return this.paths.getOrDefault(property,
					property.startsWith(PREFIX) ? "$" + property.substring(PREFIX.length()) : "$");
		}

		private void members(JsonNode object, String property, String path, Set<String> known) {
			object.forEachEntry((written, value) -> {
				String name = known(written, path, known);
				if (name.equals(LIST)) {
					list(value, property + "." + name, path + "." + written);
				}
				else if (!value.isNull()) {
					value(value, property + "." + name, path + "." + written);
				}
			});
		}

		private void list(JsonNode list, String property, String path) {
			if (list.isNull()) {
				return;
			}
			if (!list.isArray()) {
				throw invalid(member(path) + " is not a list.",
						"Write a list, even of only one: [{\"limit\": 10, \"window\": \"1m\"}].", path);
			}
			if (list.size() > MOST_LIMITS) {
				throw invalid(member(path) + " has more than " + MOST_LIMITS + " entries.", "Use fewer limits.", path);
			}
			for (int i = 0; i < list.size(); i++) {
				String place = path + "[" + i + "]";
				if (!list.get(i).isObject()) {
					throw invalid(member(place) + " is not an object.",
							"Write the numbers of the limit, each with its name: {\"limit\": 10, \"window\": \"1m\"}.",
							place);
				}
				int before = this.values.size();
				members(list.get(i), property + "[" + i + "]", place, OF_LIMIT);
				if (this.values.size() == before) {
					throw invalid(member(place + ".limit") + " is missing.",
							"Set it to the number of permits per window.", place);
				}
			}
		}

		private void value(JsonNode value, String property, String path) {
			if (!value.isValueNode()) {
				throw invalid(member(path) + " is not a single value.", "Write a text, or a number.", path);
			}
			if (this.paths.put(property, path) != null) {
				throw invalid(member(path) + " is there twice.", "Remove one of them.", path);
			}
			this.values.put(property, value.asString());
		}

		/**
		 * The name of the property that a member is.
		 * @param written the member's name
		 * @param path where the object is
		 * @param known the names of the properties that there are
		 * @throws InvalidOperationException if it is none of them
		 */
		static String known(String written, String path, Collection<String> known) {
			String name = DataObjectPropertyName.toDashedForm(written);
			if (!known.contains(name)) {
				String shown = ReadableText.of(written);
				throw invalid(member(path + "." + shown) + " is not known.", Suggestion.of(shown, known),
						path + "." + shown);
			}
			return name;
		}

		private static String member(String path) {
			return "The member '" + path.substring("$.".length()) + "'";
		}

		/**
		 * Speaks of members of the object, where a text speaks of the properties that
		 * they are bound as.
		 */
		static String ofMembers(String text) {
			return text.replace("property '" + PREFIX + ".", "member '").replace("'" + PREFIX + ".", "'");
		}

		static InvalidOperationException invalid(String message, String action, String path) {
			return new InvalidOperationException(400, message, action, path);
		}

		/**
		 * What is sent to override a policy, beside the limits.
		 */
		record OverrideProperties(@Nullable RateLimitMode mode, @Name("for") @Nullable Duration duration,
				@Nullable String reason) {

		}

	}

}
