package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.util.List;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitAlgorithm.Setting;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Description of a limit. Numbers that the algorithm does not use are {@code null}.
 *
 * @param algorithm the algorithm's name, as in configuration files
 * @param limit the permits per window
 * @param window the window in seconds; {@code null} for windows of a calendar
 * @param period the period of a calendar that each window lasts, such as {@code month}
 * @param zone the time zone whose calendar it is
 * @param from the day that windows of the calendar begin with, if not the first
 * @param burst the token bucket's capacity, or the number of requests that may wait in
 * the leaky bucket
 * @param delay the number of the leaky bucket's burst that need not wait
 * @param nodelay whether no request waits in the leaky bucket
 * @param countRejected whether the sliding window log counts rejected requests
 */
record LimitDescriptor(String algorithm, long limit, @Nullable BigDecimal window, @Nullable String period,
		@Nullable String zone, @Nullable String from, @Nullable Long burst, @Nullable Long delay,
		@Nullable Boolean nodelay, @Nullable Boolean countRejected) {

	static List<LimitDescriptor> of(List<RateLimit> limits) {
		return limits.stream().map(LimitDescriptor::of).toList();
	}

	static LimitDescriptor of(RateLimit limit) {
		CalendarWindow calendar = limit.calendar();
		if (calendar == null) {
			return of(limit, DurationText.seconds(limit.window()), null, null, null);
		}
		return of(limit, null, calendar.unit(), calendar.zone().getId(), calendar.from());
	}

	private static LimitDescriptor of(RateLimit limit, @Nullable BigDecimal window, @Nullable String period,
			@Nullable String zone, @Nullable String from) {
		RateLimitAlgorithm algorithm = limit.algorithm();
		Long burst = algorithm.uses(Setting.BURST) ? limit.burst() : null;
		Long delay = algorithm.uses(Setting.DELAY) ? limit.delay() : null;
		Boolean nodelay = algorithm.uses(Setting.NODELAY) ? limit.nodelay() : null;
		Boolean countRejected = algorithm.uses(Setting.COUNT_REJECTED) ? limit.countRejected() : null;
		return new LimitDescriptor(algorithm.id(), limit.limit(), window, period, zone, from, burst, delay, nodelay,
				countRejected);
	}

}
