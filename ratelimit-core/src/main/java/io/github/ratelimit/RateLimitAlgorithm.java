package io.github.ratelimit;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The ways of counting requests against a limit.
 * <p>
 * The set is closed, because each algorithm exists once for every kind of store.
 *
 * @since 0.1.0
 */
public enum RateLimitAlgorithm {

	/**
	 * A bucket of {@code burst} tokens that starts full and refills continuously at
	 * {@code limit} per {@code window}. Allows a burst of the bucket's size at any time.
	 */
	TOKEN_BUCKET("burst"),

	/**
	 * A queue that leaks at {@code limit} per {@code window}, as nginx's
	 * {@code limit_req}: {@code burst} requests may wait, of which {@code delay} need
	 * not.
	 */
	LEAKY_BUCKET("burst", "delay", "nodelay"),

	/**
	 * A counter for each window, windows aligned to the clock or to a
	 * {@link CalendarWindow calendar}. Allows up to twice the limit across a window's
	 * edge.
	 */
	FIXED_WINDOW_COUNTER("zone"),

	/**
	 * A time stamp for each counted request. Exact: no span of one window's length ever
	 * holds more than the limit. Memory grows with the limit.
	 */
	SLIDING_WINDOW_LOG("count-rejected"),

	/**
	 * Two counters: the previous window's is weighted by the share of it that the sliding
	 * window still covers. Assumes that the previous window was even.
	 */
	SLIDING_WINDOW_COUNTER;

	private final Set<String> numbers;

	RateLimitAlgorithm(String... numbers) {
		this.numbers = Set.of(numbers);
	}

	/**
	 * Whether the algorithm uses a number of a limit, besides its limit and window.
	 * @param number {@code burst}, {@code delay}, {@code nodelay},
	 * {@code count-rejected}, or {@code zone} for the windows of a calendar
	 * @return {@code false} if a limit of this algorithm must not have it
	 */
	public boolean uses(String number) {
		return this.numbers.contains(number);
	}

	void checkUses(String number, @Nullable Object value) {
		if (value != null && !uses(number)) {
			String users = Stream.of(values())
				.filter((each) -> each.uses(number))
				.map(RateLimitAlgorithm::id)
				.collect(Collectors.joining(" or "));
			throw new InvalidRateLimitException(number, value, "is not used by the algorithm " + id(),
					"Remove " + number + ", or use the algorithm " + users + ".");
		}
	}

	long minBurst() {
		return (this == TOKEN_BUCKET) ? 1 : 0;
	}

	/*
	 * As in nginx, no request waits in a leaky bucket unless a burst is set.
	 */
	long defaultBurst(long limit) {
		return (this == TOKEN_BUCKET) ? limit : 0;
	}

	/**
	 * The name as it is written in configuration files.
	 * @return the name in lower case with hyphens, such as {@code token-bucket}
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
