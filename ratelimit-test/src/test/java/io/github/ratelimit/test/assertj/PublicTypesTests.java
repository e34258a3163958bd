package io.github.ratelimit.test.assertj;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A public type is a decision.
 */
class PublicTypesTests {

	private static final String PACKAGE = "java/io/github/ratelimit/test";

	/* What core's own tests need, too, is there. */
	private static final List<Path> SOURCES = List.of(Path.of("src/main", PACKAGE),
			Path.of("../ratelimit-core/src/test", PACKAGE));

	private static final Pattern PUBLIC_TYPE = Pattern
		.compile("(?m)^public (?:(?:abstract|final|sealed) )*(?:class|interface|record|enum|@interface) ");

	private static final List<String> FOR_USERS = List.of("ManualClock", "RateLimitStoreContract",
			"assertj.RateLimitAssertions", "assertj.RateLimitDecisionAssert", "assertj.RateLimitMvcAssert",
			"assertj.RateLimitResponseAssert", "assertj.RateLimitStandingAssert", "assertj.ResponseAssertions",
			"autoconfigure.AutoConfigureRateLimit", "autoconfigure.RateLimitOutcomes");

	/* Our own tests look at single decisions of theirs. */
	private static final List<String> OF_THE_CONTRACT = List.of("model.Decisions", "model.RandomCases",
			"model.RandomLimits", "model.ReferenceModel", "model.ReservationModel");

	@Test
	void everyPublicTypeIsListedAndSaysSinceWhenItIsThere() throws IOException {
		List<String> found = new ArrayList<>();
		for (Path sources : SOURCES) {
			try (Stream<Path> files = Files.walk(sources)) {
				for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
					String text = Files.readString(file);
					if (PUBLIC_TYPE.matcher(text).find()) {
						String name = sources.relativize(file).toString().replaceAll("[/\\\\]", ".");
						found.add(name.substring(0, name.length() - ".java".length()));
						assertThat(text).as(name).contains("\n * @since ");
					}
				}
			}
		}
		assertThat(found)
			.containsExactlyInAnyOrderElementsOf(Stream.concat(FOR_USERS.stream(), OF_THE_CONTRACT.stream()).toList());
	}

}
