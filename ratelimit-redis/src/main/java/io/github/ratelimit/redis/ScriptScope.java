package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.util.Assert;

/**
 * A part of a script with sections and variables of its own: the whole, one of its
 * policies, or one of a policy's limits. Of a part with the suffix {@code _n},
 * {@code NAME_n} is one of its placeholders, and {@code name_n} a variable of its own.
 * <p>
 * A line {@code --> name} stands for the section of that name: of the part that has the
 * line, and of all that are inside it in turn. A line that has the suffix of a part
 * inside is repeated for each of those.
 */
final class ScriptScope {

	private static final String INCLUDE = "--> ";

	private static final String BEGIN = "--: ";

	private static final Map<String, Map<String, List<String>>> FILES = new ConcurrentHashMap<>();

	final List<ScriptScope> inner = new ArrayList<>();

	private final Map<String, String> definitions = new HashMap<>();

	private final Map<String, List<String>> sections = new HashMap<>();

	private final @Nullable ScriptScope outer;

	private final ScriptScope whole;

	private final Pattern defined;

	private final Pattern own;

	private final int number;

	private final List<String> files;

	/**
	 * Creates a whole script.
	 */
	ScriptScope(List<String> files) {
		this(null, "", 0, files);
	}

	private ScriptScope(@Nullable ScriptScope outer, String suffix, int number, List<String> files) {
		this.outer = outer;
		this.whole = (outer != null) ? outer.whole : this;
		this.defined = Pattern.compile("\\b([A-Z_]+)" + suffix + "\\b");
		this.own = Pattern.compile(suffix + "\\b");
		this.number = number;
		this.files = files;
		files.forEach((file) -> this.sections.putAll(sections(file)));
	}

	/**
	 * Adds a part inside of this.
	 * @param suffix what its names end with
	 * @param number what they end with in the script
	 * @param files its files. A section in a later one stands for that in an earlier one
	 */
	ScriptScope add(String suffix, int number, List<String> files) {
		ScriptScope added = new ScriptScope(this, suffix, number, files);
		this.inner.add(added);
		return added;
	}

	/**
	 * Fails if the files of this part lack a section: an absent one would be an empty
	 * one.
	 */
	ScriptScope require(List<String> names) {
		names.forEach((name) -> Assert.state(this.sections.containsKey(name),
				() -> "There is no section '" + name + "' in " + this.files));
		return this;
	}

	/**
	 * Defines what a name in capital letters stands for.
	 */
	ScriptScope define(String name, Object text) {
		this.definitions.put(name, String.valueOf(text));
		return this;
	}

	/**
	 * Appends a section, with all that it includes.
	 */
	void include(String name, StringBuilder text) {
		lines(name).forEach((line) -> append(line, text));
		this.inner.forEach((each) -> each.include(name, text));
	}

	/*
	 * The sections of the whole are at hand in every part.
	 */
	private void append(String line, StringBuilder text) {
		if (line.startsWith(INCLUDE)) {
			String name = line.substring(INCLUDE.length());
			if (this.whole != this) {
				this.whole.lines(name).forEach((each) -> append(each, text));
			}
			include(name, text);
		}
		else if (isOfInner(line)) {
			this.inner.forEach((each) -> each.append(line, text));
		}
		else {
			text.append(text(line)).append('\n');
		}
	}

	private boolean isOfInner(String line) {
		return this.inner.stream().anyMatch((each) -> each.own.matcher(line).find() || each.isOfInner(line));
	}

	/**
	 * Returns a line with the names of this part, and of those around it.
	 */
	String text(String line) {
		if (this.outer == null) {
			return line;
		}
		String replaced = this.defined.matcher(line)
			.replaceAll((found) -> Matcher.quoteReplacement(definition(found.group(1))));
		return this.outer.text(this.own.matcher(replaced).replaceAll("_" + this.number));
	}

	private String definition(String name) {
		return Objects.requireNonNull(this.definitions.get(name), name);
	}

	private List<String> lines(String name) {
		return this.sections.getOrDefault(name, List.of());
	}

	/**
	 * Returns a section of values, as the arguments of a call: this part's own, or else
	 * those of the parts inside.
	 */
	String list(String name) {
		if (this.sections.containsKey(name)) {
			return text(String.join(" ", lines(name)));
		}
		return this.inner.stream().map((each) -> each.list(name)).collect(Collectors.joining(", "));
	}

	/**
	 * Returns how a section of numbers is packed.
	 */
	String format(String name) {
		return "d".repeat(list(name).split(", ").length);
	}

	/**
	 * Returns the sections into which lines <code>--: name</code> divide a file. Comments
	 * are for its readers and left out.
	 */
	static Map<String, List<String>> sections(String file) {
		return FILES.computeIfAbsent(file, (name) -> {
			Map<String, List<String>> sections = new HashMap<>();
			List<String> section = new ArrayList<>();
			for (String line : read(name).lines().map(String::strip).toList()) {
				if (line.startsWith(BEGIN)) {
					section = new ArrayList<>();
					sections.put(line.substring(BEGIN.length()), section);
				}
				else if (!line.isEmpty() && (!line.startsWith("--") || line.startsWith(INCLUDE))) {
					section.add(line);
				}
			}
			return sections;
		});
	}

	private static String read(String file) {
		try {
			return new ClassPathResource(file, ScriptScope.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
