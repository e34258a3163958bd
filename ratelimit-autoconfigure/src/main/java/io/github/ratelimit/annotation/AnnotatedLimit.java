package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.function.UnaryOperator;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
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
		Long burst = AnnotatedNumber.burst(annotation).read(place, placeholders);
		Long delay = AnnotatedNumber.delay(annotation).read(place, placeholders);
		RateLimit.Builder builder = withWindow(annotation, place, placeholders);
		try {
			return builder.limit(limit)
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

	private static RateLimit.Builder withWindow(RateLimited annotation, AnnotatedPlace place,
			UnaryOperator<String> placeholders) {
		AnnotatedText window = AnnotatedText.resolve("window", annotation.window(), "${search.window:1m}", place,
				placeholders);
		AnnotatedText zone = AnnotatedText.resolve("zone", annotation.zone(), "${quota.zone:UTC}", place, placeholders);
		AnnotatedText from = AnnotatedText.resolve("from", annotation.from(), "${quota.from:1}", place, placeholders);
		CalendarWindow calendar = calendar(window.resolved(), zone.resolved(), from.resolved(), place);
		RateLimit.Builder builder = RateLimit.builder(annotation.algorithm());
		return (calendar != null) ? builder.window(calendar) : builder.window(duration(window, place));
	}

	private static @Nullable CalendarWindow calendar(String window, String zone, String from, AnnotatedPlace place) {
		try {
			return CalendarWindow.parse(window, zone.isEmpty() ? null : zone, from.isEmpty() ? null : from);
		}
		catch (InvalidRateLimitException ex) {
			throw invalid(place, ex);
		}
	}

	private static Duration duration(AnnotatedText window, AnnotatedPlace place) {
		try {
			return duration(window.resolved());
		}
		catch (IllegalArgumentException ex) {
			throw place.invalid("has a window that is not a number with a unit: " + window.description(),
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
		if (annotation.mode() != RateLimitMode.ENFORCE) {
			throw place.invalid(
					"names the policy '" + annotation.policy()
							+ "' and has a mode, which only the policy itself can have",
					"Remove the mode, and set ratelimit.policies." + annotation.policy() + ".mode to shadow.", null);
		}
		boolean numbers = AnnotatedNumber.limit(annotation).isSet() || !annotation.window().isEmpty()
				|| AnnotatedNumber.burst(annotation).isSet() || AnnotatedNumber.delay(annotation).isSet()
				|| !annotation.zone().isEmpty() || !annotation.from().isEmpty() || annotation.nodelay()
				|| annotation.countRejected() || annotation.algorithm() != RateLimitAlgorithm.TOKEN_BUCKET
				|| !annotation.name().isEmpty();
		if (numbers) {
			throw place.invalid(
					"names the policy '" + annotation.policy() + "' and has a name, an algorithm or numbers of its own",
					"Remove them, because the policy has its own; or remove the policy.", null);
		}
	}

}
