package io.github.ratelimit.web.rules;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.ratelimit.expression.PolicyBinding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RateLimitRule}: what the text of a path shows to match, the pattern
 * itself matches too.
 */
class RateLimitRuleTests {

	private static final List<String> PATHS = List.of("/", "/api", "/api/", "/api/a", "/api/a/b", "/api//a",
			"/api/../login", "/apis", "/login", "/login/", "//login", "/LOGIN", "");

	@ParameterizedTest
	@ValueSource(strings = { "/login", "/api", "/api/**", "/**", "/", "/api/", "/api/a" })
	void thePatternMatchesWhatTheTextShows(String text) {
		PathPattern pattern = PathPatternParser.defaultInstance.parse(text);
		assertThat(PATHS.stream().filter((path) -> matchesByText(text, path))).isNotEmpty()
			.allMatch((path) -> pattern.matches(PathContainer.parsePath(path)));
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			/api/**,      /api /api/ /api/a /api/a/b
			/api/*,       -
			/{id},        -
			/api/{id}/**, -
			/a?,          -
			/a%20b,       -
			/{*rest},     -
			/a;b,         -
			""")
	void theTextShowsWhatIsAtALiteralPathAndBelowIt(String pattern, String matched) {
		assertThat(PATHS.stream().filter((path) -> matchesByText(pattern, path)))
			.containsExactlyElementsOf((matched != null) ? List.of(matched.split(" ")) : List.of());
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "/api/../open", "/./api", "/api//items", "//api", "/api/.", "/api/..", "/%61pi", "/api;a=b" })
	void whatAContainerDecodesOrNormalisesIsNotMatchedByItsText(String path) {
		assertThat(matchesByText("/**", path)).isFalse();
		assertThat(matchesByText("/**", "/file.txt")).isTrue();
	}

	@Test
	void onlyARequestIsAMatchThatHidesTheFindingOfRulesWithoutOne() {
		RateLimitRule rule = rule("/api/**");
		assertThat(rule.matches(path("/api/a"))).isTrue();
		assertThat(rule.hasMatched()).isFalse();
		assertThat(rule.matchAndNote(path("/api/a"))).isTrue();
		assertThat(rule.hasMatched()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4 })
	void aCleanPathMatchesByItsTextWhatThePatternMatches(long seed) {
		Random random = new Random(seed);
		PathPatternParser parser = new PathPatternParser();
		parser.setCaseSensitive(seed % 2 == 0);
		for (int i = 0; i < 2000; i++) {
			PathPattern pattern = parser.parse(text(random) + List.of("", "/**").get(random.nextInt(2)));
			String path = text(random);
			RateLimitRule rule = new RateLimitRule(pattern, List.of(), List.of(), mock(PolicyBinding.class), false);
			assertThat(rule.matches(path("GET", path, List.of(PathContainer.parsePath(path)))))
				.as("%s and %s; seed %d", pattern, path, seed)
				.isEqualTo(pattern.matches(PathContainer.parsePath(path)));
		}
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		int segments = 1 + random.nextInt(3);
		for (int i = 0; i < segments; i++) {
			text.append('/').append(List.of("a", "A", "ab", "1", "a-b", "").get(random.nextInt(6)));
		}
		return text.toString();
	}

	@Test
	void aReadingThatIsNotTheTextIsAskedToo() {
		RequestedPath path = new RequestedPath("GET", "/login", false) {

			@Override
			protected List<PathContainer> read() {
				return List.of(PathContainer.parsePath("/shop/login"));
			}

		};
		assertThat(rule("/shop/login").matches(path)).isTrue();
		assertThat(rule("/login").matches(path)).isFalse();
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			/owners/**, /owners/new,     /owners/1 /owners /owners/new/a /owners/NEW, /owners/new
			/**,        /health,         /healthy /a/health /,                        /health
			/**,        /static/**,      /statics /login,                             /static /static/a/b
			/{id}/*,    /a/{name:[0-9]+}, /a/b /b/1,                                  /a/1 /a/22
			""")
	void aRuleDoesNotApplyToItsExceptions(String pattern, String exception, String matched, String excepted) {
		RateLimitRule rule = rule(pattern, exception);
		assertThat(matched.split(" ")).allMatch((path) -> rule.matches(parsed(path)));
		assertThat(excepted.split(" ")).noneMatch((path) -> rule.matches(parsed(path)));
		assertThat(matched.split(" ")).allMatch((path) -> rule.appliesTo(PathContainer.parsePath(path)));
		assertThat(excepted.split(" ")).noneMatch((path) -> rule.appliesTo(PathContainer.parsePath(path)));
		assertThat(rule("/owners").appliesTo(PathContainer.parsePath("/pets"))).isFalse();
		assertThat(rule).hasToString(pattern + " except " + exception);
	}

	@Test
	void aPathIsNoExceptionIfAnythingReadsItAsAnother() {
		PathContainer sent = PathContainer.parsePath("/health/..;/login");
		PathContainer served = PathContainer.parsePath("/login");
		RequestedPath path = path("GET", "/health/..;/login", List.of(sent, served));
		assertThat(rule("/**", "/health/**").matches(path)).isTrue();
		assertThat(rule("/**", "/login").matches(path)).isTrue();
		assertThat(rule("/**", "/health/**", "/login").matches(path)).isFalse();
	}

	@Test
	void aMethodIsTheSameInSmallLetters() {
		RateLimitRule rule = new RateLimitRule(PathPatternParser.defaultInstance.parse("/login"), List.of(),
				List.of("POST"), mock(PolicyBinding.class), false);
		assertThat(List.of("POST", "post", "Post", "PUT")
			.stream()
			.filter((method) -> rule.matches(path(method, "/login")))).containsExactly("POST", "post", "Post");
	}

	private static boolean matchesByText(String pattern, String text) {
		return rule(pattern).matches(path(text));
	}

	private static RateLimitRule rule(String pattern, String... exceptions) {
		PathPatternParser parser = PathPatternParser.defaultInstance;
		return new RateLimitRule(parser.parse(pattern), Stream.of(exceptions).map(parser::parse).toList(), List.of(),
				mock(PolicyBinding.class), false);
	}

	/* As it was sent, which is the only way to read it. */
	private static RequestedPath parsed(String text) {
		return path("GET", text, List.of(PathContainer.parsePath(text)));
	}

	/* As if nothing but its text were known. */
	private static RequestedPath path(String text) {
		return path("GET", text);
	}

	private static RequestedPath path(String method, String text) {
		return path(method, text, List.of());
	}

	private static RequestedPath path(String method, String text, List<PathContainer> readings) {
		return new RequestedPath(method, text, true) {

			@Override
			protected List<PathContainer> read() {
				return readings;
			}

		};
	}

}
