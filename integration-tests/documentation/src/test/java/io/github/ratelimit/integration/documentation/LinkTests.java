package io.github.ratelimit.integration.documentation;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Links between the pages lead somewhere, and every page can be reached from README.
 */
class LinkTests {

	private static final Path README = Snippet.ROOT.resolve("README.md");

	static final List<Path> PAGES = Snippet.pages();

	static final List<Path> OTHERS = PAGES.stream().filter((page) -> !page.equals(README)).toList();

	private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");

	@ParameterizedTest
	@FieldSource("PAGES")
	void linksLeadSomewhere(Path page) {
		int number = 0;
		for (String line : Snippet.lines(page)) {
			number++;
			Matcher link = LINK.matcher(line);
			while (link.find()) {
				Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
				String place = Snippet.ROOT.relativize(page) + ":" + number + ": " + link.group();
				assertThat(target).as(place).exists();
				if (link.group(2) != null) {
					assertThat(Snippet.lines(target)
						.stream()
						.filter((text) -> text.startsWith("#"))
						.map(LinkTests::anchor)).as(place).contains(link.group(2));
				}
			}
		}
	}

	@ParameterizedTest
	@FieldSource("OTHERS")
	void readmeLinksToPage(Path page) {
		assertThat(String.join("\n", Snippet.lines(README))).contains("](" + Snippet.ROOT.relativize(page) + ")");
	}

	@Test
	void readmeIsForTheFirstHalfHour() {
		assertThat(Snippet.lines(README)).hasSizeLessThanOrEqualTo(180);
	}

	/*
	 * As GitHub makes them.
	 */
	private static String anchor(String heading) {
		return heading.replaceAll("^#+ ", "")
			.toLowerCase(Locale.ROOT)
			.replaceAll("[^\\p{L}\\p{N} _-]", "")
			.replace(' ', '-');
	}

}
