package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.ReadableText;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.actuate.InvalidOperationException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.ResolvableType;

/**
 * Reads the JSON of an override into the properties that would say the same in a
 * configuration file. What is not known stops it, so that the work is bounded.
 */
final class OverrideJson {

	/* What the object is bound as, out of sight. */
	static final String PREFIX = "ratelimit.override";

	private static final String LIST = "limits";

	private static final int MOST_LIMITS = 100;

	private static final JsonFactory JSON = JsonFactory.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(10).maxNumberLength(100).build())
		.build();

	/* The single limit may be written without the list, as in a plan. */
	private static final Map<String, ResolvableType> MEMBERS = new TreeMap<>(
			PropertyNames.components(RateLimitProperties.Plan.class));

	static {
		MEMBERS.remove("unlimited");
		MEMBERS.putAll(PropertyNames.components(OverrideProperties.class));
	}

	private static final Map<String, ResolvableType> OF_LIMIT = PropertyNames
		.components(RateLimitProperties.Limit.class);

	/* By the name of the property. */
	private final Map<String, Object> values = new LinkedHashMap<>();

	/* Where they are written, perhaps in another notation. */
	private final Map<String, String> paths = new LinkedHashMap<>();

	private OverrideJson() {
	}

	/**
	 * Reads an object.
	 * @param json the object
	 * @throws InvalidOperationException if it is no object, or has a member that is not
	 * known
	 */
	static OverrideJson read(String json) {
		OverrideJson read = new OverrideJson();
		readObject(json, "override", "Send an object, such as {\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], "
				+ "\"for\": \"2h\", \"reason\": \"too much load\"}.", read::member);
		return read;
	}

	/**
	 * Reads any object.
	 * @param json the object
	 * @param what what it should be, such as {@code override}
	 * @param action what to send instead of what is none
	 * @param member is called at the name of each member, and goes on to the end of its
	 * value
	 * @throws InvalidOperationException if it is no object
	 */
	static void readObject(String json, String what, String action, Consumer<JsonParser> member) {
		try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				throw invalid("The " + what + " is not a JSON object.", action, "$");
			}
			while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
				member.accept(parser);
			}
			if (parser.nextToken() != null) {
				throw invalid("Something follows the " + what + ".", action, "$");
			}
		}
		catch (JacksonException ex) {
			throw invalid("The " + what + " is not valid JSON" + place(ex), action, "$");
		}
	}

	/**
	 * Reads a list of limits that is a part of something else.
	 * @param parser the parser, at the list
	 * @throws InvalidOperationException if it is no such list
	 */
	static OverrideJson readLimits(JsonParser parser) {
		OverrideJson read = new OverrideJson();
		read.list(parser, parser.currentToken(), LIST, "$." + LIST);
		return read;
	}

	private static String place(JacksonException invalid) {
		TokenStreamLocation place = invalid.getLocation();
		return ((place != null) ? ", at line " + place.getLineNr() + ", column " + place.getColumnNr() : "") + ": "
				+ ReadableText.of(invalid.getOriginalMessage()) + ".";
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
		String path = this.paths.get(property);
		if (path != null) {
			return path;
		}
		return property.startsWith(PREFIX) ? "$" + property.substring(PREFIX.length()) : "$";
	}

	private void member(JsonParser parser) {
		String written = parser.currentName();
		String name = known(written, "$", MEMBERS);
		JsonToken value = parser.nextToken();
		if (name.equals(LIST)) {
			list(parser, value, name, "$." + written);
		}
		else {
			value(parser, value, name, "$." + written);
		}
	}

	private void list(JsonParser parser, JsonToken begin, String property, String path) {
		if (begin == JsonToken.VALUE_NULL) {
			return;
		}
		if (begin != JsonToken.START_ARRAY) {
			throw invalid(member(path) + " is not a list.",
					"Write a list, even of only one: [{\"limit\": 10, \"window\": \"1m\"}].", path);
		}
		int index = 0;
		for (JsonToken entry = parser.nextToken(); entry != JsonToken.END_ARRAY; entry = parser.nextToken()) {
			if (index == MOST_LIMITS) {
				throw invalid(member(path) + " has more than " + MOST_LIMITS + " entries.", "Use fewer limits.", path);
			}
			String place = "[" + index++ + "]";
			if (entry != JsonToken.START_OBJECT) {
				throw invalid(member(path + place) + " is not an object.",
						"Write the numbers of the limit, each with its name: {\"limit\": 10, \"window\": \"1m\"}.",
						path + place);
			}
			limit(parser, property + place, path + place);
		}
	}

	private void limit(JsonParser parser, String property, String path) {
		int before = this.values.size();
		while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
			String written = parser.currentName();
			String name = known(written, path, OF_LIMIT);
			value(parser, parser.nextToken(), property + "." + name, path + "." + written);
		}
		if (this.values.size() == before) {
			throw invalid(member(path + ".limit") + " is missing.", "Set it to the number of permits per window.",
					path);
		}
	}

	private void value(JsonParser parser, JsonToken value, String property, String path) {
		if (value == JsonToken.VALUE_NULL) {
			return;
		}
		if (!value.isScalarValue()) {
			throw invalid(member(path) + " is not a single value.", "Write a text, or a number.", path);
		}
		if (this.paths.put(PREFIX + "." + property, path) != null) {
			throw invalid(member(path) + " is there twice.", "Remove one of them.", path);
		}
		this.values.put(PREFIX + "." + property, parser.getString());
	}

	private static String known(String written, String path, Map<String, ResolvableType> known) {
		String name = DataObjectPropertyName.toDashedForm(written);
		if (!known.containsKey(name)) {
			String shown = ReadableText.of(written);
			throw invalid(member(path + "." + shown) + " is not known.", Suggestion.of(shown, known.keySet()),
					path + "." + shown);
		}
		return name;
	}

	private static String member(String path) {
		return "The member '" + path.substring("$.".length()) + "'";
	}

	/**
	 * Speaks of members of the object, where a text speaks of the properties that they
	 * are bound as.
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
