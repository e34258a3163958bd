package io.github.ratelimit.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A public type is a decision.
 */
class PublicTypesTests {

	private static final Path SOURCES = Path.of("src", "main", "java", "io", "github", "ratelimit", "test");

	private static final Pattern PUBLIC_TYPE = Pattern
		.compile("(?m)^public (?:(?:abstract|final|sealed) )*(?:class|interface|record|enum|@interface) ");

	private static final List<String> FOR_USERS = List.of("ManualClock", "RateLimitStoreContract",
			"assertj.RateLimitAssertions", "assertj.RateLimitDecisionAssert", "assertj.RateLimitMvcAssert",
			"assertj.RateLimitResponseAssert", "assertj.RateLimitStandingAssert", "assertj.ResponseAssertions",
			"autoconfigure.AutoConfigureRateLimit", "autoconfigure.RateLimitOutcomes");

	/* Our own tests look at single decisions of theirs. */
	private static final List<String> OF_THE_CONTRACT = List.of("model.Decisions", "model.RandomCases",
			"model.RandomLimits", "model.ReferenceModel");

	@Test
	void everyPublicTypeIsListed() {
		assertThat(publicTypes().map(PublicTypesTests::name))
			.containsExactlyInAnyOrderElementsOf(Stream.concat(FOR_USERS.stream(), OF_THE_CONTRACT.stream()).toList());
	}

	@Test
	void everyPublicTypeSaysSinceWhenItIsThere() {
		assertThat(publicTypes()).isNotEmpty().allSatisfy((file) -> assertThat(text(file)).contains("\n * @since "));
	}

	private static Stream<Path> publicTypes() {
		try (Stream<Path> files = Files.walk(SOURCES)) {
			return files.filter((file) -> file.toString().endsWith(".java") && PUBLIC_TYPE.matcher(text(file)).find())
				.toList()
				.stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String name(Path file) {
		String path = SOURCES.relativize(file).toString();
		return path.substring(0, path.length() - ".java".length()).replace('/', '.').replace('\\', '.');
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
