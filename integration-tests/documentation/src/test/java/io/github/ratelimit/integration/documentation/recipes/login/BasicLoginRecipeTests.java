package io.github.ratelimit.integration.documentation.recipes.login;

import java.io.IOException;
import java.net.CookieManager;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipes of logins with what Spring Boot configures by default, where every path
 * takes passwords.
 */
class BasicLoginRecipeTests {

	private static final Pattern CSRF = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");

	private static final List<String> PATHS = List.of("/me", "/", "/error", "/nowhere/else");

	@Test
	void addressHasTwentyGuessesOverFormAndEveryPath() {
		try (Recipe recipe = Recipe.start("Login", Users.class)) {
			assertThat(IntStream.range(0, 5).map((i) -> guessByForm(recipe, "user" + i))).containsOnly(302);
			assertThat(IntStream.range(0, 15).map((i) -> guess(recipe, PATHS.get(i % 4), "user" + i)))
				.containsOnly(401);
			assertThat(PATHS).allSatisfy((path) -> assertThat(guess(recipe, path, "eve")).isEqualTo(429));
			assertThat(guessByForm(recipe, "eve")).isEqualTo(429);
		}
	}

	@Test
	void accountHasFiveGuessesOverFormAndEveryPath() {
		try (Recipe recipe = Recipe.start("Login by HTTP Basic", Users.class, Accounts.class)) {
			assertThat(Stream.of("ada", "Ada").map((name) -> guessByForm(recipe, name))).containsOnly(302);
			assertThat(Stream.of("ada", "ADA", "ada").map((name) -> guess(recipe, "/me", name))).containsOnly(401);
			assertThat(guess(recipe, "/", "ada")).isEqualTo(429);
			assertThat(guessByForm(recipe, "ada")).isEqualTo(429);
			assertThat(guess(recipe, "/", "bob")).isEqualTo(401);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "Login", "Login by HTTP Basic" })
	void rightPasswordsAndRequestsWithoutOneAreNotCharged(String heading) {
		try (Recipe recipe = Recipe.start(heading, Users.class, Accounts.class)) {
			assertThat(Stream.generate(() -> send(recipe, "/me", "ada", "secret")).limit(30)).containsOnly(404);
			assertThat(Stream.generate(() -> recipe.get("/me")).limit(30)).containsOnly(401);
			assertThat(IntStream.range(0, 20).map((i) -> guess(recipe, "/me", "user" + i))).containsOnly(401);
			assertThat(guess(recipe, "/me", "eve")).isEqualTo(429);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "Login", "Login by HTTP Basic" })
	void nothingIsFound(String heading) {
		try (Recipe recipe = Recipe.start(heading, Users.class, Accounts.class)) {
			assertThat(recipe.bean(RateLimitFindings.class).list()).isEmpty();
		}
	}

	private static int guess(Recipe recipe, String path, String name) {
		return send(recipe, path, name, "guess");
	}

	private static int send(Recipe recipe, String path, String name, String password) {
		return recipe.get(path, "Authorization",
				"Basic " + Base64.getEncoder().encodeToString((name + ":" + password).getBytes()));
	}

	private static int guessByForm(Recipe recipe, String name) {
		HttpClient browser = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
		try {
			Matcher token = CSRF
				.matcher(browser.send(recipe.request("/login").build(), BodyHandlers.ofString()).body());
			assertThat(token.find()).isTrue();
			HttpRequest.BodyPublisher form = HttpRequest.BodyPublishers
				.ofString("_csrf=" + token.group(1) + "&password=guess&username=" + name);
			return browser
				.send(recipe.request("/login", "Content-Type", "application/x-www-form-urlencoded").POST(form).build(),
						BodyHandlers.discarding())
				.statusCode();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
