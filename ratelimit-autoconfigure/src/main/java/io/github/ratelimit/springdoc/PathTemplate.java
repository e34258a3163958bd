package io.github.ratelimit.springdoc;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;

/**
 * The path of an operation, such as <code>/users/{id}</code>, and paths that differ as
 * much as any that it stands for. A rule that matches all of these surely matches the
 * operation; one that looks into a variable does not.
 */
final class PathTemplate {

	private static final Pattern REST = Pattern.compile("\\{\\*[^}]*}|\\*\\*");

	private static final Pattern VARIABLE = Pattern.compile("\\{[^}]*}|\\*");

	private final List<RequestedPath> examples;

	PathTemplate(String template) {
		this.examples = Stream.of("0", "\uE000-\uE001", "z".repeat(300))
			.flatMap((value) -> Stream.of(value, value + "/" + value)
				.map((rest) -> VARIABLE.matcher(REST.matcher(template).replaceAll(rest)).replaceAll(value)))
			.distinct()
			.<RequestedPath>map(Example::of)
			.toList();
	}

	boolean isCoveredBy(RateLimitRule rule, String method) {
		return this.examples.stream().allMatch((example) -> rule.matches(method, example));
	}

	/**
	 * A path that can be read in one way only.
	 */
	private record Example(PathContainer parsed) implements RequestedPath {

		static Example of(String path) {
			return new Example(PathContainer.parsePath(path));
		}

		@Override
		public @Nullable String text() {
			return null;
		}

		@Override
		public List<PathContainer> readings() {
			return List.of();
		}

	}

}
