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
	TOKEN_BUCKET(Setting.BURST),

	/**
	 * A queue that leaks at {@code limit} per {@code window}, as nginx's
	 * {@code limit_req}: {@code burst} requests may wait, of which {@code delay} need
	 * not.
	 */
	LEAKY_BUCKET(Setting.BURST, Setting.DELAY, Setting.NODELAY),

	/**
	 * A counter for each window, windows aligned to the clock or to a
	 * {@link CalendarWindow calendar}. Allows up to twice the limit across a window's
	 * edge.
	 */
	FIXED_WINDOW_COUNTER(Setting.ZONE),

	/**
	 * A time stamp for each counted request. Exact: no span of one window's length ever
	 * holds more than the limit. Memory grows with the limit.
	 */
	SLIDING_WINDOW_LOG(Setting.COUNT_REJECTED),

	/**
	 * Two counters: the previous window's is weighted by the share of it that the sliding
	 * window still covers. Assumes that the previous window was even.
	 */
	SLIDING_WINDOW_COUNTER;

	private final Set<Setting> settings;

	RateLimitAlgorithm(Setting... settings) {
		this.settings = Set.of(settings);
	}

	/**
	 * Whether a limit of this algorithm may have a setting besides its limit and window.
	 * @param setting the setting
	 * @return {@code false} if the setting means nothing to this algorithm
	 */
	public boolean uses(Setting setting) {
		return this.settings.contains(setting);
	}

	void checkUses(Setting setting, @Nullable Object value) {
		if (value != null && !uses(setting)) {
			String users = Stream.of(values())
				.filter((each) -> each.uses(setting))
				.map(RateLimitAlgorithm::id)
				.collect(Collectors.joining(" or "));
			throw new InvalidRateLimitException(setting.id(), value, "is not used by the algorithm " + id(),
					"Remove " + setting.id() + ", or use the algorithm " + users + ".");
		}
	}

	/*
	 * A bucket of no tokens would let nothing pass, and a queue of none lets nothing
	 * wait.
	 */
	long minBurst() {
		return switch (this) {
			case TOKEN_BUCKET -> 1;
			case LEAKY_BUCKET, FIXED_WINDOW_COUNTER, SLIDING_WINDOW_LOG, SLIDING_WINDOW_COUNTER -> 0;
		};
	}

	/*
	 * As in nginx, no request waits in a leaky bucket unless a burst is set.
	 */
	long defaultBurst(long limit) {
		return switch (this) {
			case TOKEN_BUCKET -> limit;
			case LEAKY_BUCKET, FIXED_WINDOW_COUNTER, SLIDING_WINDOW_LOG, SLIDING_WINDOW_COUNTER -> 0;
		};
	}

	/**
	 * The name as it is written in configuration files.
	 * @return the name in lower case with hyphens, such as {@code token-bucket}
	 */
	public String id() {
		return hyphenated(this);
	}

	private static String hyphenated(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * What a limit of some algorithms has besides its limit and window.
	 */
	public enum Setting {

		/** The size of a bucket, or how many requests may wait in a queue. */
		BURST,

		/** How many requests of a queue need not wait. */
		DELAY,

		/** Whether no request of a queue waits. */
		NODELAY,

		/** Whether rejected requests count, too. */
		COUNT_REJECTED,

		/** The time zone of windows of a calendar. */
		ZONE;

		String id() {
			return hyphenated(this);
		}

	}

}
