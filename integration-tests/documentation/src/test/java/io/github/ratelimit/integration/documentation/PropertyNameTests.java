package io.github.ratelimit.integration.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every property of ours that the text mentions exists, or is a metric, or what traces
 * and log lines have; and every one that exists is on the page of properties.
 */
class PropertyNameTests {

	static final List<Path> PAGES = Snippet.pages();

	private static final Pattern NAME = Pattern.compile("`(ratelimit\\.[a-z][a-z0-9.<>\\[\\]-]*)");

	private static final Pattern METRIC = Pattern.compile("\"(ratelimit\\.[a-z.]+)\"");

	private static final List<String> METRICS = metrics();

	private static final Pattern ROW = Pattern.compile("^\\| (`[^|]+)\\|");

	private static final Pattern NAME_IN_ROW = Pattern.compile("`([a-z.][^`]+)`");

	private static final List<String> TOLD = told();

	/* In the spans and in the log's context of requests that are rejected. */
	private static final Set<String> OF_REJECTIONS = Set.of("ratelimit.policy", "ratelimit.outcome", "ratelimit.mode");

	@ParameterizedTest
	@FieldSource("PAGES")
	void propertyExists(Path page) {
		int number = 0;
		for (String line : Snippet.lines(page)) {
			number++;
			Matcher name = NAME.matcher(line);
			while (name.find()) {
				boolean isObserved = METRICS.contains(name.group(1)) || OF_REJECTIONS.contains(name.group(1));
				assertThat(isObserved || KnownProperties.contains(name.group(1)))
					.as(Snippet.ROOT.relativize(page) + ":" + number + ": " + name.group(1))
					.isTrue();
			}
		}
	}

	/*
	 * What a limit has is told once, for each place where there may be one.
	 */
	@ParameterizedTest
	@MethodSource("io.github.ratelimit.integration.documentation.KnownProperties#ours")
	void propertyIsOnThePageOfProperties(String property) {
		String ofOnlyLimit = property.replaceAll("\\.(plans\\.\\*|limits|shadowlimits)(?=\\.)", "");
		assertThat(TOLD)
			.anyMatch((told) -> told.equals(property) || told.equals(ofOnlyLimit) || told.startsWith(property + "."));
	}

	/*
	 * A name that begins with a dot is beside the first one of its row.
	 */
	private static List<String> told() {
		List<String> told = new ArrayList<>();
		for (String line : Snippet.lines(Snippet.ROOT.resolve("docs/properties.md"))) {
			Matcher row = ROW.matcher(line);
			if (!row.find()) {
				continue;
			}

			List<String> names = NAME_IN_ROW.matcher(row.group(1)).results().map((name) -> name.group(1)).toList();
			String first = names.get(0);
			for (String name : names) {
				String full = name.startsWith(".") ? first.substring(0, first.lastIndexOf('.')) + name : name;
				told.add(KnownProperties.canonical(full));
			}
		}
		return told;
	}

	private static List<String> metrics() {
		try (Stream<Path> sources = Files
			.walk(Snippet.ROOT.resolve("ratelimit-autoconfigure/src/main/java/io/github/ratelimit/actuate"))) {
			return sources.filter(Files::isRegularFile)
				.flatMap((source) -> METRIC.matcher(String.join("\n", Snippet.lines(source))).results())
				.map((metric) -> metric.group(1))
				.toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
