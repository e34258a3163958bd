package io.github.ratelimit.test;

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
	@CsvSource({ "io.github.ratelimit.test.HashMapRateLimitStore, stores.md",
			"io.github.ratelimit.test.HashMapRateLimitStoreTests, stores.md",
			"io.github.ratelimit.test.autoconfigure.SearchLimitTests, testing.md",
			"io.github.ratelimit.test.autoconfigure.SignUpPageTests, testing.md" })
	void theDocumentationShowsTheClass(Class<?> type, String page) throws IOException {
		String source = Files
			.readString(Path.of("src", "test", "java").resolve(type.getName().replace('.', '/') + ".java"));
		Matcher begin = Pattern.compile("(?m)^(?:@.*\\R)*(?:final )?class " + type.getSimpleName() + " ")
			.matcher(source);
		assertThat(begin.find()).isTrue();
		assertThat(Files.readString(Path.of("..", "docs", page)))
			.contains(source.substring(begin.start()).replace("\t", "    "));
	}

}
