package io.github.ratelimit.integration.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A fenced block of a page, without the indentation that a list gives it.
 *
 * @param page the page, relative to the project's root
 * @param line the number of the text's first line in the page
 * @param language what stands behind the fence, or an empty text
 * @param text the text
 */
public record Snippet(Path page, int line, String language, String text) {

	/** The project's root. */
	public static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

	private static final String FENCE = "```";

	/**
	 * Returns all pages that users read.
	 * @return the paths of the pages
	 */
	public static List<Path> pages() {
		try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
			return Stream
				.concat(Stream.of(ROOT.resolve("README.md")),
						docs.filter((page) -> page.toString().endsWith(".md")).sorted())
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the snippets of all pages.
	 * @param languages the languages to return
	 * @return the snippets in their order
	 */
	public static List<Snippet> in(String... languages) {
		return all().filter((snippet) -> List.of(languages).contains(snippet.language())).toList();
	}

	static Stream<Snippet> all() {
		return pages().stream().flatMap((page) -> of(page).stream());
	}

	/**
	 * Returns the snippets of a page.
	 * @param page the path of the page
	 * @return the snippets in their order
	 */
	public static List<Snippet> of(Path page) {
		List<Snippet> snippets = new ArrayList<>();
		List<String> lines = lines(page);
		for (int i = 0; i < lines.size(); i++) {
			String fence = lines.get(i);
			if (fence.strip().startsWith(FENCE)) {
				int indentation = fence.indexOf(FENCE);
				int first = i + 1;
				do {
					i++;
				}
				while (!lines.get(i).strip().equals(FENCE));
				String text = String.join("\n",
						lines.subList(first, i)
							.stream()
							.map((line) -> line.substring(Math.min(indentation, line.length())))
							.toList());
				snippets
					.add(new Snippet(ROOT.relativize(page), first + 1, fence.strip().substring(FENCE.length()), text));
			}
		}
		return snippets;
	}

	/**
	 * Returns the lines of a page.
	 * @param page the path of the page
	 * @return the lines
	 */
	public static List<String> lines(Path page) {
		try {
			return Files.readAllLines(page);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String toString() {
		return this.page + ":" + this.line;
	}

}
