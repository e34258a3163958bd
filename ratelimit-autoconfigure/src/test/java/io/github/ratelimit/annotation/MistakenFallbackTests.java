package io.github.ratelimit.annotation;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMvcAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests that a fallback which could not answer ends the start, and how that is said.
 */
class MistakenFallbackTests {

	private static final String WITH_STRING = "Write String %1$s(String), or with RateLimitExceededException as its "
			+ "last parameter %1$s(String, RateLimitExceededException).";

	private final Catalogue catalogue = new Catalogue();

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					missing      | has the fallback 'cahced', but Service has no method of that name | Did you mean 'cached'?
					parameters   | has a fallback with other parameters: Service.number(int) | Write String number(String)
					tooMany      | has a fallback with other parameters: Service.two(String, String) | Write String two(String)
					exception    | has a fallback with other parameters: Service.checked(String, IOException) | or with RateLimitExceededException as its last
					exceptionFirst | has a fallback with other parameters: Service.first(RateLimitExceededException, String) | Write String first(String)
					returned     | has a fallback that returns Integer in place of String: Service.integer(String) | Write String integer(String)
					nothing      | has a fallback that returns void in place of String: Service.nothingAtAll(String) | Write String nothingAtAll(String)
					plainForLater | has a fallback that returns String in place of CompletableFuture<String>: Service.cached(String) | Write CompletableFuture<String> cached(String)
					element      | has a fallback that returns List<Integer> in place of List<String>: Service.numbers(String) | Write List<String> numbers(String)
					deep         | has a fallback that returns Mono<List<Integer>> in place of Mono<List<String>>: Service.laterNumbers(String) | Write Mono<List<String>> laterNumbers(String)
					ofSupertype  | has a fallback that returns List<Integer> in place of Collection<String>: Service.numbers(String) | Write Collection<String> numbers(String)
					hidden       | has a fallback that is private: Service.secret(String) | Make secret a method of the object that is not private.
					ofClass      | has a fallback that is static: Service.fixed(String) | Make fixed a method of the object that is not private.
					ambiguous    | has a fallback that is ambiguous: Service.either(String), Service.either(String, RuntimeException) | Leave one of them, or give them different names.
					itself       | has itself as its fallback | Name another method, or give one of them another name.
					shadowed     | has the fallback 'cached', but in the mode SHADOW it rejects nobody | Remove the fallback, or the mode.
					informing    | has the fallback 'cached', but in the mode INFORM it rejects nobody | Remove the fallback, or the mode.
					placeholder  | has the fallback '${fallback:cached}', in which no placeholder is replaced | Write the name itself
					""")
	void whatIsWrongIsNamedAndWhatToWrite(String method, String reason, String action) {
		InvalidRateLimitException mistake = mistake(method);
		assertThat(mistake).hasMessageStartingWith("@RateLimited on Service." + method + "(String)")
			.hasMessageContaining(reason);
		assertThat(mistake.action()).contains(action);
	}

	@Test
	void whatToWriteIsAWholeMethod() {
		assertThat(mistake("missing").action()).endsWith(String.format(WITH_STRING, "cahced"));
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Service.class, "withoutParameters"))
			.satisfies((mistake) -> assertThat(mistake.action()).contains("Write void none(), or with "
					+ "RateLimitExceededException as its last parameter none(RateLimitExceededException)."));
	}

	@Test
	void onePolicyHasOneFallbackAtAMethod() {
		this.catalogue.configured("login", null,
				RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1)));
		assertThat(mistake("twice")).hasMessageContaining(
				"has two annotations of the policy 'login' with different fallbacks: 'cached' and 'also'");
	}

	@Test
	void methodOfATypeWithoutAFallbackOfItsParametersIsNamed() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(OfType.class, "two"))
			.withMessageContaining("@RateLimited on OfType.two(int)")
			.withMessageContaining("has a fallback with other parameters: OfType.cached(String)");
	}

	@Test
	void overloadOfATypesFallbackThatIsNoneNeedsOneItself() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(
				() -> this.catalogue.find(Overloaded.class, Overloaded.class.getDeclaredMethod("cached", double.class)))
			.withMessage("@RateLimited on Overloaded.cached(double) has itself as its fallback")
			.satisfies((mistake) -> assertThat(mistake.action())
				.isEqualTo("Name another method, or give one of them another name."));
	}

	@ParameterizedTest
	@ValueSource(strings = { "wildcard", "lower", "raw", "ofAny", "narrower", "array", "map", "variable", "primitive" })
	void whatMayFitIsLeftToTheMethods(String method) {
		assertThat(this.catalogue.find(Fitting.class, method)).hasSize(1);
	}

	@Test
	void typesAreThoseOfTheBean() {
		assertThat(this.catalogue.find(Strings.class, "all")).hasSize(1);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Mixed.class, "all"))
			.withMessageContaining("has a fallback that returns List<String> in place of List<Integer>");
	}

	@Test
	void theStartEndsForABeanAndForAHandlerThatNoProxyCanIntercept() {
		LimitedBeans.runner()
			.withBean(Mistaken.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("has the fallback 'absent'"));
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
							RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
							RateLimitMvcAutoConfiguration.class, RateLimitServletAutoConfiguration.class))
			.withBean(Final.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("needs a proxy for its fallback, and a proxy cannot intercept a method of a "
						+ "class that is final"));
	}

	private InvalidRateLimitException mistake(String method) {
		return catchThrowableOfType(InvalidRateLimitException.class, () -> this.catalogue.find(Service.class, method));
	}

	@SuppressWarnings("unused")
	static class Service {

		@RateLimited(limit = 1, window = "1m", fallback = "cahced")
		String missing(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "number")
		String parameters(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "two")
		String tooMany(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "checked")
		String exception(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "first")
		String exceptionFirst(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "integer")
		String returned(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "nothingAtAll")
		String nothing(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "cached")
		CompletableFuture<String> plainForLater(String id) {
			return CompletableFuture.completedFuture(id);
		}

		@RateLimited(limit = 1, window = "1m", fallback = "numbers")
		List<String> element(String id) {
			return List.of(id);
		}

		@RateLimited(limit = 1, window = "1m", fallback = "numbers")
		Collection<String> ofSupertype(String id) {
			return List.of(id);
		}

		List<Integer> numbers(String id) {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "laterNumbers")
		Mono<List<String>> deep(String id) {
			return Mono.empty();
		}

		Mono<List<Integer>> laterNumbers(String id) {
			return Mono.empty();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "secret")
		String hidden(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "fixed")
		String ofClass(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "either")
		String ambiguous(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "itself")
		String itself(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", mode = RateLimitMode.SHADOW, fallback = "cached")
		String shadowed(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", mode = RateLimitMode.INFORM, fallback = "cached")
		String informing(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "${fallback:cached}")
		String placeholder(String id) {
			return id;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "none")
		void withoutParameters() {
		}

		@RateLimited(value = "login", key = "'a'", fallback = "cached")
		@RateLimited(value = "login", key = "'b'", fallback = "also")
		String twice(String id) {
			return id;
		}

		String cached(String id) {
			return id;
		}

		String also(String id) {
			return id;
		}

		String number(int id) {
			return "";
		}

		String two(String id, String other) {
			return id;
		}

		String checked(String id, IOException ex) {
			return id;
		}

		String first(RateLimitExceededException ex, String id) {
			return id;
		}

		Integer integer(String id) {
			return 0;
		}

		void nothingAtAll(String id) {
		}

		private String secret(String id) {
			return id;
		}

		static String fixed(String id) {
			return id;
		}

		String either(String id) {
			return id;
		}

		String either(String id, RuntimeException ex) {
			return id;
		}

	}

	@RateLimited(limit = 1, window = "1m", fallback = "cached")
	static class OfType {

		String one(String id) {
			return id;
		}

		String two(int number) {
			return "";
		}

		String cached(String id) {
			return id;
		}

	}

	@RateLimited(limit = 1, window = "1m", fallback = "cached")
	static class Overloaded {

		String one(String id) {
			return id;
		}

		String cached(String id) {
			return id;
		}

		String cached(double price) {
			return "";
		}

	}

	@SuppressWarnings({ "rawtypes", "unused" })
	static class Fitting {

		@RateLimited(limit = 1, window = "1m", fallback = "numbers")
		List<?> wildcard() {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "anything")
		List<? super Integer> lower() {
			return List.of();
		}

		List<Object> anything() {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "any")
		List<String> raw() {
			return List.of();
		}

		List any() {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "numbers")
		List ofAny() {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "numbers")
		Collection<Number> narrower() {
			return List.of();
		}

		List<Integer> numbers() {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "mapped")
		Map<String, ? extends Number> map() {
			return Map.of();
		}

		Map<String, Integer> mapped() {
			return Map.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "arrays")
		List<String[]> array() {
			return List.of();
		}

		List<String[]> arrays() {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "made")
		List<Integer> variable() {
			return List.of();
		}

		<T extends Number> List<T> made() {
			return List.of();
		}

		@RateLimited(limit = 1, window = "1m", fallback = "boxed")
		int primitive() {
			return 0;
		}

		Integer boxed() {
			return 0;
		}

	}

	abstract static class Generic<T> {

		@RateLimited(limit = 1, window = "1m", fallback = "none")
		List<T> all() {
			return List.of();
		}

	}

	static class Strings extends Generic<String> {

		List<String> none() {
			return List.of();
		}

	}

	static class Mixed extends Generic<Integer> {

		List<String> none() {
			return List.of();
		}

	}

	static class Mistaken {

		@RateLimited(limit = 1, window = "1m", fallback = "absent")
		List<String> method() {
			return List.of();
		}

	}

	@RestController
	static final class Final {

		@RateLimited(limit = 1, window = "1m", fallback = "cached")
		@GetMapping("/final")
		String handler() {
			return cached();
		}

		String cached() {
			return "cached";
		}

	}

}
