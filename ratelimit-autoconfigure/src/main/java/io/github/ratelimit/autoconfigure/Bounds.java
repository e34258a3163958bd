package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

/**
 * Checks numbers that must be within bounds.
 */
final class Bounds {

	private Bounds() {
	}

	/**
	 * Checks a number.
	 * @param property the property below {@code ratelimit}
	 * @param value its value
	 * @param least the least that it may be
	 * @param most the most that it may be, or {@code null} if that is not bounded
	 * @param action what to write instead
	 * @return the value
	 * @throws InvalidRateLimitException if it is out of range
	 */
	static <T extends Comparable<T>> T check(String property, T value, T least, @Nullable T most, String action) {
		if (value.compareTo(least) < 0 || most != null && value.compareTo(most) > 0) {
			throw InvalidRateLimitException.property("ratelimit." + property, value, "is out of range", action, null);
		}
		return value;
	}

}
