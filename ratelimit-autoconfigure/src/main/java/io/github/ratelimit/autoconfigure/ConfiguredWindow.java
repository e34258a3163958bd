package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Objects;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * Reads a limit's window, which is a duration or, with a zone, a period of its calendar.
 */
final class ConfiguredWindow {

	private ConfiguredWindow() {
	}

	/**
	 * Starts a limit with its window.
	 * @param limit the limit, which has a window
	 * @param path the property that it is
	 */
	static RateLimit.Builder builder(RateLimitProperties.Limit limit, String path) {
		RateLimit.Builder builder = RateLimit.builder(limit.algorithm());
		String window = Objects.requireNonNull(limit.window());
		CalendarWindow calendar = calendar(window, limit, path);
		return (calendar != null) ? builder.window(calendar) : builder.window(duration(window, path + ".window"));
	}

	private static @Nullable CalendarWindow calendar(String window, RateLimitProperties.Limit limit, String path) {
		try {
			return CalendarWindow.parse(window, limit.zone(), limit.from());
		}
		catch (InvalidRateLimitException ex) {
			throw ex.inProperty(path);
		}
	}

	private static Duration duration(String window, String property) {
		Duration duration;
		try {
			duration = DurationStyle.detectAndParse(window);
		}
		catch (IllegalArgumentException ex) {
			throw InvalidRateLimitException.property(property, window, "is not a duration",
					"Write a number with a unit, such as 500ms, 10s, 1m, 1h or 1d, or an ISO-8601 duration such as PT1H.",
					ex);
		}
		if (!duration.isZero()) {
			StrictNumberBinding.checkUnit(property, window);
		}
		return duration;
	}

}
