package io.github.ratelimit.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import io.github.ratelimit.simulation.Simulation;
import io.github.ratelimit.support.ReadableText;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * Reads an override as if it stood in a configuration file, with the same checks and the
 * same texts; and a simulation, whose limits are written in the same way.
 */
final class JsonOverrideReader implements OverrideReader {

	/* What the object is bound as, out of sight. */
	private static final String PREFIX = "ratelimit.override";

	private static final String REASON = PREFIX + ".reason";

	private static final String LIMITS = "limits";

	private static final String GAPS = "gaps";

	private static final String COSTS = "costs";

	private static final Set<String> OF_SIMULATION = Set.of(LIMITS, GAPS, COSTS);

	/* What decoding leaves of other bytes. */
	private static final String NOT_UTF_8 = "\uFFFD";

	private static final int MOST_LIMITS = 100;

	private static final JsonMapper JSON = new JsonMapper(JsonFactory.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(10).maxNumberLength(100).build())
		.build());

	private static final Set<String> OF_LIMIT = PropertyNames.names(RateLimitProperties.Limit.class);

	/* The single limit may be written without the list, as in a plan. */
	private static final Set<String> OF_OVERRIDE = new TreeSet<>(OF_LIMIT);

	static {
		OF_OVERRIDE.add(LIMITS);
		OF_OVERRIDE.addAll(PropertyNames.names(OverrideProperties.class));
	}

	private final BindHandler strict = new PropertyBinding().apply(BindHandler.DEFAULT);

	@Override
	public <T> T read(RateLimitOverride.Target target, List<RateLimit> defined, String json, @Nullable String who,
			Function<RateLimitOverride, T> use) {
		JsonProperties sent = new JsonProperties(parse(json, "override",
				"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"for\": \"2h\", "
						+ "\"reason\": \"too much load\"}.",
				"Send the limits, the mode, for and the reason only."), OF_OVERRIDE);
		return explained(sent, () -> {
			OverrideProperties properties = bind(sent, OverrideProperties.class);
			String duration = properties.duration();
			List<RateLimit> limits = ConfiguredLimits.over(defined, bind(sent, RateLimitProperties.Plan.class), PREFIX);
			return use.apply(new RateLimitOverride(target, limits, properties.mode(),
					(duration != null) ? ConfiguredLimits.duration(duration, PREFIX + ".for") : null,
					properties.reason(), who));
		});
	}

	/**
	 * Reads a simulation.
	 * @param json the object that was sent
	 * @return the simulation
	 * @throws InvalidOperationException if it is none
	 * @throws InvalidRateLimitException if its numbers cannot be simulated
	 */
	Simulation simulation(String json) {
		ObjectNode sent = parse(json, "simulation",
				"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"gaps\": [0, 100, 100]}.",
				"Simulate fewer requests.");
		JsonNode gaps = sent.path(GAPS);
		JsonNode costs = sent.path(COSTS);
		JsonProperties limits = new JsonProperties(sent.remove(List.of(GAPS, COSTS)), OF_SIMULATION);
		return new Simulation(
				explained(limits, () -> ConfiguredLimits.of(bind(limits, RateLimitProperties.Plan.class), PREFIX)),
				numbers(gaps, "$." + GAPS),
				(costs.isMissingNode() || costs.isNull()) ? null : numbers(costs, "$." + COSTS));
	}

	private static long[] numbers(JsonNode list, String path) {
		require(list.isArray(), path, "is missing, or not a list",
				"Write a list of whole numbers, such as [0, 100, 100].");
		long[] numbers = new long[list.size()];
		for (int i = 0; i < numbers.length; i++) {
			JsonNode number = list.get(i);
			require(number.isIntegralNumber() && number.canConvertToLong(), path + "[" + i + "]",
					MistakenValue.NOT_WHOLE, MistakenValue.WHOLE_NUMBER);
			numbers[i] = number.longValue();
		}
		return numbers;
	}

	private static ObjectNode parse(String json, String what, String example, String shorter) {
		if (json.getBytes(StandardCharsets.UTF_8).length > LONGEST) {
			throw new InvalidOperationException(413, "The " + what + " is longer than " + LONGEST + " bytes.", shorter,
					null);
		}
		if (json.contains(NOT_UTF_8)) {
			throw invalid("The " + what + " is not in UTF-8.", "Send it in UTF-8.", "$");
		}
		try {
			if (JSON.readTree(json) instanceof ObjectNode sent) {
				return sent;
			}
			throw invalid("The " + what + " is not a JSON object.", example, "$");
		}
		catch (JacksonException ex) {
			TokenStreamLocation place = ex.getLocation();
			throw invalid("The " + what + " is not valid JSON"
					+ ((place != null) ? ", at line " + place.getLineNr() + ", column " + place.getColumnNr() : "")
					+ ": " + ReadableText.of(ex.getOriginalMessage()) + ".", example, "$");
		}
	}

	/*
	 * The name of the property that a member is.
	 */
	private static String known(String written, String path, Set<String> known) {
		String name = DataObjectPropertyName.toDashedForm(written);
		String readable = ReadableText.of(written);
		boolean isKnown = known.contains(name);
		require(isKnown, path + "." + readable, "is not known", isKnown ? "" : Suggestion.of(readable, known));
		return name;
	}

	private static void require(boolean valid, String path, String reason, String action) {
		if (!valid) {
			throw invalid("The member '" + path.substring("$.".length()) + "' " + reason + ".", action, path);
		}
	}

	/* Limits are written in an override and in a simulation as in a plan. */
	private <T> T bind(JsonProperties sent, Class<T> type) {
		return new Binder(new MapConfigurationPropertySource(sent.values)).bindOrCreate(PREFIX, Bindable.of(type),
				this.strict);
	}

	private static <T> T explained(JsonProperties sent, Supplier<T> use) {
		try {
			return use.get();
		}
		catch (InvalidRateLimitException ex) {
			throw invalid(ex, sent);
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof InvalidRateLimitException mistake) {
				throw invalid(mistake, sent);
			}
			throw ex;
		}
	}

	private static InvalidOperationException invalid(InvalidRateLimitException mistake, JsonProperties sent) {
		InvalidRateLimitException inProperty = !mistake.isCode() ? mistake
				: (sent.hasList() ? mistake : mistake.inSingleLimit()).inProperty(PREFIX);
		return invalid(inProperty.getMessage() + ".", inProperty.action(), sent.path(inProperty.attribute()));
	}

	private static InvalidOperationException invalid(String message, String action, String path) {
		return new InvalidOperationException(400, ofMembers(message), ofMembers(action), path);
	}

	/*
	 * Speaks of members of the object, where a text speaks of the properties that they
	 * are bound as.
	 */
	private static String ofMembers(String text) {
		return text.replace("property '" + PREFIX + ".", "member '").replace("'" + PREFIX + ".", "'");
	}

	/**
	 * The properties that would say in a configuration file what an object says.
	 */
	private static final class JsonProperties {

		/* By the name of the property. */
		private final Map<String, Object> values = new LinkedHashMap<>();

		/* Where they are written, perhaps in another notation. */
		private final Map<String, String> paths = new LinkedHashMap<>();

		JsonProperties(JsonNode sent, Set<String> known) {
			add(sent, PREFIX, "$", known);
		}

		/* The path of a property, such as $.limits[0].window. */
		String path(String property) {
			return this.paths.getOrDefault(property,
					property.startsWith(PREFIX) ? "$" + property.substring(PREFIX.length()) : "$");
		}

		boolean hasList() {
			return this.values.keySet().stream().anyMatch((property) -> property.startsWith(PREFIX + "." + LIMITS));
		}

		private void add(JsonNode object, String property, String path, Set<String> known) {
			object.forEachEntry((written, value) -> {
				String name = known(written, path, known);
				if (!value.isNull()) {
					add(value, property + "." + name, path + "." + written);
				}
			});
		}

		private void add(JsonNode value, String property, String path) {
			if (property.endsWith("." + LIMITS)) {
				require(value.isArray(), path, "is not a list",
						"Write a list, even of only one: [{\"limit\": 10, \"window\": \"1m\"}].");
				require(value.size() <= MOST_LIMITS, path, "has more than " + MOST_LIMITS + " entries",
						"Use fewer limits.");
			}
			else {
				require(value.isValueNode(), path, "is not a single value", "Write a text, or a number.");
				require(!value.asString().isBlank() || property.equals(REASON), path, "has no value",
						"Send a value, or leave the member out.");
				require(this.paths.put(property, path) == null, path, "is there twice", "Remove one of them.");
				this.values.put(property, value.asString());
			}
			for (int i = 0; i < value.size(); i++) {
				String place = path + "[" + i + "]";
				require(value.get(i).isObject(), place, "is not an object",
						"Write the numbers of the limit, each with its name: {\"limit\": 10, \"window\": \"1m\"}.");
				int before = this.values.size();
				add(value.get(i), property + "[" + i + "]", place, OF_LIMIT);
				require(this.values.size() > before, place + ".limit", "is missing",
						"Set it to the number of permits per window.");
			}
		}

	}

	/**
	 * What is sent to override a policy, beside the limits.
	 */
	record OverrideProperties(@Nullable RateLimitMode mode, @Name("for") @Nullable String duration,
			@Nullable String reason) {

	}

}
