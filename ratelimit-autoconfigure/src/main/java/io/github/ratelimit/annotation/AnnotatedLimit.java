package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.function.UnaryOperator;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.Assert;

/**
 * Reads the numbers of an annotation.
 */
final class AnnotatedLimit {

	private AnnotatedLimit() {
	}

	static RateLimit read(RateLimited annotation, AnnotatedPlace place, UnaryOperator<String> placeholders) {
		Long limit = AnnotatedNumber.limit(annotation).read(place, placeholders);
		if (limit == null || annotation.window().isEmpty()) {
			throw place.invalid("has no " + ((limit == null) ? "limit" : "window"),
					"Write how many calls may pass in which time, such as @RateLimited(limit = 100, window = \"1m\"), "
							+ "or name a policy of application.yml, such as @RateLimited(\"login\").",
					null);
		}
		Duration window = window(annotation.window(), place, placeholders);
		Long burst = AnnotatedNumber.burst(annotation).read(place, placeholders);
		Long delay = AnnotatedNumber.delay(annotation).read(place, placeholders);
		try {
			return RateLimit.builder(annotation.algorithm())
				.limit(limit)
				.window(window)
				.burst(burst)
				.delay(delay)
				.nodelay(annotation.nodelay())
				.countRejected(annotation.countRejected())
				.build();
		}
		catch (InvalidRateLimitException ex) {
			throw invalid(place, ex);
		}
	}

	/*
	 * Attributes of annotations are spelled differently than properties.
	 */
	static InvalidRateLimitException invalid(AnnotatedPlace place, InvalidRateLimitException ex) {
		return place.invalid("is not possible: " + asWritten(ex.getMessage()), asWritten(ex.action()), ex);
	}

	private static String asWritten(@Nullable String text) {
		String written = String.valueOf(text).replace("count-rejected", "countRejected");
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			written = written.replace(algorithm.id(), algorithm.name());
		}
		return written;
	}

	private static Duration window(String window, AnnotatedPlace place, UnaryOperator<String> placeholders) {
		AnnotatedText text = AnnotatedText.resolve("window", window, "${search.window:1m}", place, placeholders);
		try {
			return duration(text.resolved());
		}
		catch (IllegalArgumentException ex) {
			throw place.invalid("has a window that is not a number with a unit: " + text.description(),
					"Write a number and a unit, such as 500ms, 10s, 1m, 1h or 1d.", ex);
		}
	}

	/*
	 * A number without a unit would be milliseconds, which is hardly ever meant.
	 */
	private static Duration duration(String text) {
		Assert.isTrue(text.isEmpty() || !Character.isDigit(text.charAt(text.length() - 1)), "The unit is missing");
		return DurationStyle.detectAndParse(text);
	}

	/*
	 * A named policy has all numbers itself.
	 */
	static void checkNoNumbers(RateLimited annotation, AnnotatedPlace place) {
		boolean numbers = AnnotatedNumber.limit(annotation).isSet() || !annotation.window().isEmpty()
				|| AnnotatedNumber.burst(annotation).isSet() || AnnotatedNumber.delay(annotation).isSet()
				|| annotation.nodelay() || annotation.countRejected()
				|| annotation.algorithm() != RateLimitAlgorithm.TOKEN_BUCKET || !annotation.name().isEmpty();
		if (numbers) {
			throw place.invalid(
					"names the policy '" + annotation.policy() + "' and has a name, an algorithm or numbers of its own",
					"Remove them, because the policy has its own; or remove the policy.", null);
		}
	}

}
