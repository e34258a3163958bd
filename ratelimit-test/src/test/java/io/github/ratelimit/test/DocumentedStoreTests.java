package io.github.ratelimit.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store that the documentation shows is the one that is tested here.
 */
class DocumentedStoreTests {

	@ParameterizedTest
	@ValueSource(classes = { HashMapRateLimitStore.class, HashMapRateLimitStoreTests.class })
	void theDocumentationShowsTheClass(Class<?> type) throws IOException {
		String source = Files
			.readString(Path.of("src", "test", "java").resolve(type.getName().replace('.', '/') + ".java"));
		String shown = source.substring(source.indexOf("class " + type.getSimpleName())).replace("\t", "    ");
		assertThat(Files.readString(Path.of("..", "docs", "stores.md"))).contains(shown);
	}

}
