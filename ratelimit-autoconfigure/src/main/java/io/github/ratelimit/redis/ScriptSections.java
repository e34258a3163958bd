package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A script file, which lines <code>--: name</code> divide into sections. Comments are for
 * its readers and left out.
 */
final class ScriptSections {

	static final String INCLUDE = "--> ";

	private static final String BEGIN = "--: ";

	private static final Map<String, ScriptSections> FILES = new ConcurrentHashMap<>();

	private final Map<String, List<String>> sections = new HashMap<>();

	private ScriptSections(String text) {
		List<String> section = new ArrayList<>();
		for (String line : text.lines().map(String::strip).toList()) {
			if (line.startsWith(BEGIN)) {
				section = new ArrayList<>();
				this.sections.put(line.substring(BEGIN.length()), section);
			}
			else if (!line.isEmpty() && !isComment(line)) {
				section.add(line);
			}
		}
	}

	private static boolean isComment(String line) {
		return line.startsWith("--") && !line.startsWith(INCLUDE);
	}

	static ScriptSections ofFile(String file) {
		return FILES.computeIfAbsent(file, (name) -> new ScriptSections(read(name)));
	}

	static String read(String file) {
		try (InputStream resource = ScriptSections.class.getResourceAsStream(file)) {
			if (resource == null) {
				throw new IllegalStateException("The script " + file + " is missing in the jar");
			}
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A section's lines; none if there is no such section.
	 */
	List<String> lines(String name) {
		return this.sections.getOrDefault(name, List.of());
	}

	boolean has(String name) {
		return this.sections.containsKey(name);
	}

}
