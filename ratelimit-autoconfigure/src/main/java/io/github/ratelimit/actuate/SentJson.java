package io.github.ratelimit.actuate;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.support.ReadableText;
import io.github.ratelimit.support.Suggestion;
import io.github.ratelimit.simulation.Simulation;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * An object of JSON that was sent: an override, or a simulation, whose limits are written
 * in the same way. Its members have the names of properties, in either notation, and are
 * texts, numbers or truth values, or the list of limits. Needs Jackson.
 */
final class SentJson {

	/** The most bytes of an object. */
	static final int MAX_LENGTH = 64 * 1024;

	private static final String LIMITS = "limits";

	private static final String GAPS = "gaps";

	private static final String COSTS = "costs";

	private static final String REASON = "reason";

	private static final Set<String> OF_LIMIT = Set.of("algorithm", "limit", "window", "zone", "from", "burst", "delay",
			"nodelay", "count-rejected");

	private static final Set<String> OF_SIMULATION = Set.of(LIMITS, GAPS, COSTS);

	/* The single limit may be written without the list, as in a plan. */
	private static final Set<String> OF_OVERRIDE = new TreeSet<>(Set.of(LIMITS, "mode", "for", REASON));

	private static final Set<String> OF_BAN = Set.of("for", REASON);

	private static final Set<String> OF_INTERVENTION = Set.of("address", "policy", "key", "for", REASON);

	static {
		OF_OVERRIDE.addAll(OF_LIMIT);
	}

	private static final Kind OVERRIDE = new Kind("override", OverrideOperations.INVALID,
			"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"for\": \"2h\", "
					+ "\"reason\": \"too much load\"}.",
			"Send the limits, the mode, for and the reason only.");

	private static final Kind SIMULATION = new Kind("simulation", SimulationOperation.NOT_DONE,
			"Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"gaps\": [0, 100, 100]}.",
			"Simulate fewer requests.");

	/* Decoding replaces what is not UTF-8 by this character. */
	private static final String NOT_UTF_8 = "\uFFFD";

	private static final int MAX_LIMITS = 100;

	private static final JsonMapper JSON = new JsonMapper(JsonFactory.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(10).maxNumberLength(100).build())
		.build());

	/* The texts of members, by their names, such as limits[0].count-rejected. */
	private final Map<String, String> texts = new HashMap<>();

	/* The paths of members as they are written, such as $.limits[0].countRejected. */
	private final Map<String, String> paths = new HashMap<>();

	private final Kind kind;

	private int limits;

	private SentJson(Kind kind, ObjectNode object, Set<String> known) {
		this.kind = kind;
		add(object, "", "$", known);
	}

	/**
	 * Reads an override.
	 * @throws InvalidOperationException if it is none
	 */
	static SentJson ofOverride(String json) {
		return new SentJson(OVERRIDE, OVERRIDE.parse(json), OF_OVERRIDE);
	}

	/**
	 * Reads a ban.
	 * @param title the title of a mistake in it
	 * @throws InvalidOperationException if it is none
	 */
	static SentJson ofBan(String json, String title) {
		Kind ban = new Kind("ban", title, "Send an object, such as {\"for\": \"2h\", \"reason\": \"guesses\"}.",
				"Send for and the reason only.");
		return new SentJson(ban, ban.parse(json), OF_BAN);
	}

	/**
	 * Reads an exemption or a denial.
	 * @param json the object that was sent
	 * @param name how it is called
	 * @param title the title of a mistake in it
	 * @throws InvalidOperationException if it is none
	 */
	static SentJson ofIntervention(String json, String name, String title) {
		Kind intervention = new Kind(name, title,
				"Send an object, such as {\"address\": \"192.0.2.0/24\", \"for\": \"2h\", \"reason\": \"scans\"} or "
						+ "{\"policy\": \"api\", \"key\": \"acme\"}.",
				"Send the address, or the policy and the key, for and the reason only.");
		return new SentJson(intervention, intervention.parse(json), OF_INTERVENTION);
	}

	/**
	 * The text of a member of the object.
	 * @return the text, or {@code null} if it is not there
	 */
	@Nullable String text(String member) {
		return this.texts.get(member);
	}

	/**
	 * Reads a simulation.
	 * @param json the object that was sent
	 * @param reader creates its limits
	 * @throws InvalidOperationException if it is none
	 * @throws InvalidRateLimitException if its numbers cannot be simulated
	 */
	static Simulation simulation(String json, OverrideReader reader) {
		ObjectNode sent = SIMULATION.parse(json);
		JsonNode gaps = sent.path(GAPS);
		JsonNode costs = sent.path(COSTS);
		ObjectNode others = sent.remove(List.of(GAPS, COSTS));
		for (String name : others.propertyNames()) {
			if (!name.equals(LIMITS)) {
				String readable = ReadableText.of(name);
				throw SIMULATION.mistake("$." + readable, "is not known", Suggestion.of(readable, OF_SIMULATION));
			}
		}

		SentJson limits = new SentJson(SIMULATION, others, OF_SIMULATION);

		List<RateLimit> simulated = limits.create(reader::readLimits);
		long[] gapNumbers = numbers(gaps, "$." + GAPS);
		if (costs.isMissingNode() || costs.isNull()) {
			return new Simulation(simulated, gapNumbers, null);
		}
		return new Simulation(simulated, gapNumbers, numbers(costs, "$." + COSTS));
	}

	private static long[] numbers(JsonNode list, String path) {
		if (!list.isArray()) {
			throw SIMULATION.mistake(path, "is missing, or not a list",
					"Write a list of whole numbers, such as [0, 100, 100].");
		}

		long[] numbers = new long[list.size()];
		for (int i = 0; i < numbers.length; i++) {
			JsonNode number = list.get(i);
			if (!number.isIntegralNumber() || !number.canConvertToLong()) {
				throw SIMULATION.mistake(path + "[" + i + "]", "is not a whole number, or too large",
						"Write the number in digits only, such as 100.");
			}
			numbers[i] = number.longValue();
		}
		return numbers;
	}

	private void add(JsonNode object, String parent, String path, Set<String> known) {
		for (Map.Entry<String, JsonNode> member : object.properties()) {
			String name = knownName(member.getKey(), path, known);
			String written = path + "." + member.getKey();
			JsonNode value = member.getValue();
			if (value.isNull()) {
				continue;
			}
			if (name.equals(LIMITS)) {
				addLimits(value, written);
			}
			else {
				addText(value, parent + name, written);
			}
		}
	}

	/*
	 * Returns the name of the property that a member is written for, in either notation.
	 * Fails if it is not known.
	 */
	private String knownName(String written, String path, Set<String> known) {
		String name = DataObjectPropertyName.toDashedForm(written);
		if (!known.contains(name)) {
			String readable = ReadableText.of(written);
			throw mistake(path + "." + readable, "is not known", Suggestion.of(readable, known));
		}
		return name;
	}

	private void addLimits(JsonNode list, String path) {
		if (!list.isArray()) {
			throw mistake(path, "is not a list",
					"Write a list, even of only one: [{\"limit\": 10, \"window\": \"1m\"}].");
		}
		if (list.size() > MAX_LIMITS) {
			throw mistake(path, "has more than " + MAX_LIMITS + " entries", "Use fewer limits.");
		}

		for (int i = 0; i < list.size(); i++) {
			addLimit(list.get(i), LIMITS + "[" + i + "].", path + "[" + i + "]");
		}
		this.limits = Math.max(this.limits, list.size());
	}

	private void addLimit(JsonNode limit, String parent, String path) {
		if (!limit.isObject()) {
			throw mistake(path, "is not an object",
					"Write the numbers of the limit, each with its name: {\"limit\": 10, \"window\": \"1m\"}.");
		}

		int before = this.texts.size();
		add(limit, parent, path, OF_LIMIT);
		if (this.texts.size() == before) {
			throw mistake(path + ".limit", "is missing", "Set it to the number of permits per window.");
		}
	}

	private void addText(JsonNode value, String member, String path) {
		if (!value.isValueNode()) {
			throw mistake(path, "is not a single value", "Write a text, or a number.");
		}
		String text = value.asString();
		if (text.isBlank() && !member.equals(REASON)) {
			throw mistake(path, "has no value", "Send a value, or leave the member out.");
		}

		if (this.paths.put(member, path) != null) {
			throw mistake(path, "is there twice", "Remove one of them.");
		}
		this.texts.put(member, text);
	}

	private InvalidOperationException mistake(String path, String reason, String action) {
		return this.kind.mistake(path, reason, action);
	}

	/**
	 * Creates what the texts of the object describe.
	 * @param reader creates it, or fails with the member that is wrong
	 * @throws InvalidOperationException if the reader fails
	 */
	<T> T create(Function<Map<String, String>, T> reader) {
		try {
			return reader.apply(this.texts);
		}
		catch (InvalidRateLimitException ex) {
			throw invalid(ex);
		}
	}

	/**
	 * A mistake of a member that was found when the object was used.
	 * @param mistake the mistake of the limits that the object describes
	 */
	InvalidOperationException invalid(InvalidRateLimitException mistake) {
		InvalidRateLimitException written = (this.limits > 0) ? mistake : mistake.inSingleLimit();
		String member = written.attribute();
		return Mistake.of(written, this.paths.getOrDefault(member, "$." + member)).exception(this.kind.title);
	}

	/**
	 * What is sent.
	 *
	 * @param name what it is called in a sentence
	 * @param title the title of a mistake in it
	 * @param example what to send, as a sentence
	 * @param shorter what to do if it is too long, as a sentence
	 */
	private record Kind(String name, String title, String example, String shorter) {

		ObjectNode parse(String json) {
			if (json.getBytes(StandardCharsets.UTF_8).length > MAX_LENGTH) {
				throw problem(413, "is longer than " + MAX_LENGTH + " bytes.", this.shorter, null);
			}
			if (json.contains(NOT_UTF_8)) {
				throw problem(400, "is not in UTF-8.", "Send it in UTF-8.", "$");
			}

			try {
				if (JSON.readTree(json) instanceof ObjectNode sent) {
					return sent;
				}
				throw problem(400, "is not a JSON object.", this.example, "$");
			}
			catch (JacksonException ex) {
				String message = ReadableText.of(ex.getOriginalMessage());
				throw problem(400, "is not valid JSON" + position(ex) + ": " + message + ".", this.example, "$");
			}
		}

		private static String position(JacksonException mistake) {
			TokenStreamLocation location = mistake.getLocation();
			if (location == null) {
				return "";
			}
			return ", at line " + location.getLineNr() + ", column " + location.getColumnNr();
		}

		private InvalidOperationException problem(int status, String what, String action, @Nullable String path) {
			return new InvalidOperationException(this.title, status, "The " + this.name + " " + what, action, path,
					null);
		}

		InvalidOperationException mistake(String path, String reason, String action) {
			return new Mistake(path, path.substring("$.".length()), null, reason, action).exception(this.title);
		}

	}

}
