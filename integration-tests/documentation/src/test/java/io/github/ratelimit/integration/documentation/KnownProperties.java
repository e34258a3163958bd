package io.github.ratelimit.integration.documentation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The properties in the metadata of all libraries on the class path.
 */
final class KnownProperties {

	private static final Map<String, String> TYPES = read();

	private KnownProperties() {
	}

	/**
	 * Returns whether there is a property of this name, or a map or a list that it is in.
	 */
	static boolean contains(String name) {
		String canonical = canonical(name);
		if (TYPES.containsKey(canonical)) {
			return true;
		}
		for (int dot = canonical.lastIndexOf('.'); dot > 0; dot = canonical.lastIndexOf('.', dot - 1)) {
			if (TYPES.getOrDefault(canonical.substring(0, dot), "").matches("java\\.util\\.(Map|List)<.*")) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns the canonical names of our own properties.
	 */
	static List<String> ours() {
		return TYPES.keySet()
			.stream()
			.filter((name) -> name.matches("(management\\.\\w+\\.)?ratelimits?\\..+"))
			.toList();
	}

	/**
	 * Returns a name as it is compared with others: of an element of a map with an
	 * asterisk, and of one of a list like the list.
	 */
	static String canonical(String name) {
		return name.replaceAll("<\\w+>", "*").replaceAll("\\[[\\d*]*]", "").replace("-", "").toLowerCase(Locale.ROOT);
	}

	private static Map<String, String> read() {
		Map<String, String> types = new HashMap<>();
		JsonMapper mapper = new JsonMapper();
		try {
			for (URL url : Collections.list(KnownProperties.class.getClassLoader()
				.getResources("META-INF/spring-configuration-metadata.json"))) {
				try (InputStream metadata = url.openStream()) {
					for (JsonNode property : mapper.readTree(metadata).path("properties")) {
						types.put(canonical(property.path("name").asString()), property.path("type").asString(""));
					}
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return types;
	}

}
