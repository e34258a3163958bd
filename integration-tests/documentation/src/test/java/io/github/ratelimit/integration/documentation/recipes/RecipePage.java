package io.github.ratelimit.integration.documentation.recipes;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.Snippet;

/**
 * The page of the recipes.
 */
final class RecipePage {

	static final Path PATH = Snippet.ROOT.resolve("docs/recipes.md");

	private RecipePage() {
	}

	/**
	 * Returns the snippets between a heading and the next one.
	 */
	static Stream<Snippet> snippets(String heading) {
		List<Integer> headings = headings();
		for (int i = 0; i < headings.size(); i++) {
			int from = headings.get(i);
			if (Snippet.lines(PATH).get(from).replaceAll("^#+ ", "").equals(heading)) {
				int to = (i + 1 < headings.size()) ? headings.get(i + 1) : Integer.MAX_VALUE;
				return Snippet.of(PATH).stream().filter((snippet) -> snippet.line() > from && snippet.line() <= to);
			}
		}
		throw new IllegalArgumentException("There is no recipe '" + heading + "'");
	}

	/**
	 * Returns the headings of all recipes: those that have snippets.
	 */
	static List<String> recipes() {
		return headings().stream()
			.map((line) -> Snippet.lines(PATH).get(line).replaceAll("^#+ ", ""))
			.filter((heading) -> snippets(heading).findAny().isPresent())
			.toList();
	}

	private static List<Integer> headings() {
		List<String> lines = Snippet.lines(PATH);
		return Stream.iterate(0, (i) -> i < lines.size(), (i) -> i + 1)
			.filter((i) -> lines.get(i).startsWith("#"))
			.toList();
	}

}
