package io.github.ratelimit.test.assertj;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The classes that the documentation shows are those that are tested here.
 */
class DocumentedClassesTests {

	@ParameterizedTest
	@CsvSource({ "../ratelimit-core, test.HashMapRateLimitStore, stores.md",
			"../ratelimit-core, test.HashMapRateLimitStoreTests, stores.md",
			"., test.autoconfigure.SearchLimitTests, testing.md", "., test.autoconfigure.SignUpPageTests, testing.md",
			"../integration-tests/webflux, integration.webflux.slice.ReactiveSearchLimitTests, testing.md" })
	void theDocumentationShowsTheClass(Path module, String type, String page) throws IOException {
		String source = Files
			.readString(module.resolve("src/test/java/io/github/ratelimit").resolve(type.replace('.', '/') + ".java"));
		Matcher begin = Pattern.compile("(?m)^(?:@.*\\R)*(?:final )?class " + type.replaceFirst(".*\\.", "") + " ")
			.matcher(source);
		assertThat(begin.find()).isTrue();
		assertThat(Files.readString(Path.of("..", "docs", page)))
			.contains(source.substring(begin.start()).replace("\t", "    "));
	}

}
