package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.time.Period;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitAlgorithm.Setting;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * Creates the limits of a policy, a plan or an override: those of its list, or the single
 * one that is written without it.
 */
final class ConfiguredLimits {

	private ConfiguredLimits() {
	}

	static List<RateLimit> of(RateLimitProperties.Limits limits, String path) {
		return of(limits, path, ConfiguredLimits::of);
	}

	/**
	 * Creates the limits of an override. What one leaves out is that of the defined limit
	 * of the same window, or of the only one.
	 * @param defined the limits that are overridden
	 */
	static List<RateLimit> ofOverride(List<RateLimit> defined, RateLimitProperties.Limits given, String path) {
		boolean isOne = defined.size() == 1 && given.limits().size() <= 1;
		List<RateLimit> unused = new ArrayList<>(defined);
		return of(given, path, (limit, ofLimit) -> {
			if (limit.limit() == null || limit.window() == null) {
				return of(limit, ofLimit);
			}
			RateLimit same = useSameWindow(unused, defined, limit);
			if (same != null) {
				return completedInSameWindow(same, limit, ofLimit);
			}
			return limitOfAnotherWindow(defined, isOne, limit, ofLimit);
		});
	}

	/* Two limits of one window go on with two defined ones, if there are so many. */
	private static @Nullable RateLimit useSameWindow(List<RateLimit> unused, List<RateLimit> defined,
			RateLimitProperties.Limit given) {
		RateLimit same = findSameWindow(unused, given);
		if (same == null) {
			return findSameWindow(defined, given);
		}
		unused.remove(same);
		return same;
	}

	/*
	 * A calendar comes first: P1D is the day of one, though 24 hours may be written so,
	 * too.
	 */
	private static @Nullable RateLimit findSameWindow(List<RateLimit> defined, RateLimitProperties.Limit given) {
		return defined.stream()
			.filter((each) -> isSameWindow(each, given))
			.min(Comparator.comparing((each) -> each.calendar() == null))
			.orElse(null);
	}

	private static RateLimit limitOfAnotherWindow(List<RateLimit> defined, boolean isOne,
			RateLimitProperties.Limit given, String path) {
		if (isOne) {
			return completed(defined.get(0), given, path);
		}
		if (given.algorithm() != null) {
			return of(given, path);
		}
		return created(commonAlgorithm(defined, given, path), given, path);
	}

	/*
	 * A limit of a window that none of the defined ones has counts as all of them do.
	 */
	private static RateLimitAlgorithm commonAlgorithm(List<RateLimit> defined, RateLimitProperties.Limit given,
			String path) {
		Set<RateLimitAlgorithm> algorithms = defined.stream().map(RateLimit::algorithm).collect(Collectors.toSet());
		if (algorithms.size() > 1) {
			checkWindow(given, path);
			throw InvalidRateLimitException.property(property(path, "algorithm"), null,
					"is missing, and what is overridden has limits of several algorithms and none of this window",
					"Set it to the algorithm that is to count.", null);
		}
		return algorithms.iterator().next();
	}

	/* Windows of a calendar go on with its zone and the day that they begin with. */
	private static RateLimit completedInSameWindow(RateLimit defined, RateLimitProperties.Limit given, String path) {
		if (defined.calendar() == null) {
			return completed(defined, given, path);
		}
		return completedIn(null, defined, given, path);
	}

	/*
	 * No defined limit has a window that cannot be read, and that mistake comes first.
	 */
	private static void checkWindow(RateLimitProperties.Limit given, String path) {
		String window = Objects.requireNonNull(given.window());
		try {
			if (CalendarWindow.parse(window, given.zone(), given.from()) == null) {
				duration(window, property(path, "window"));
			}
		}
		catch (InvalidRateLimitException ex) {
			throw inProperty(ex, path);
		}
	}

	private static boolean isSameWindow(RateLimit defined, RateLimitProperties.Limit given) {
		String window = Objects.requireNonNull(given.window());
		if (given.algorithm() != null && given.algorithm() != defined.algorithm()) {
			return false;
		}
		CalendarWindow calendar = defined.calendar();
		if (calendar != null) {
			return isPeriod(window, calendar.period());
		}
		try {
			return given.zone() == null && DurationStyle.detectAndParse(window).equals(defined.window());
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/* A week may be written as P1W or as P7D. */
	private static boolean isPeriod(String window, Period period) {
		try {
			return Period.parse(window.strip()).equals(period);
		}
		catch (DateTimeParseException ex) {
			return false;
		}
	}

	private static List<RateLimit> of(RateLimitProperties.Limits limits, String path,
			BiFunction<RateLimitProperties.Limit, String, RateLimit> create) {
		Map<String, Object> single = limits.single().given();
		if (single.isEmpty()) {
			return of(limits.limits(), property(path, "limits"), create);
		}

		if (!limits.limits().isEmpty()) {
			Map.Entry<String, Object> first = single.entrySet().iterator().next();
			throw InvalidRateLimitException
				.property(property(path, first.getKey()), first.getValue(),
						"is a number of the policy's only limit, but the policy has the list '"
								+ property(path, "limits") + "' too",
						"Write a single limit directly in the policy, or all limits in the list.", null);
		}
		return List.of(create.apply(limits.single(), path));
	}

	/**
	 * Creates a limit that leaves numbers to another, such as that of an annotation. A
	 * burst that is the default is that of the new numbers. A calendar belongs to its
	 * window, and what only some algorithms use to the other's.
	 * @param base has what the given one leaves out
	 */
	static RateLimit completed(RateLimit base, RateLimitProperties.Limit given, String path) {
		return completedIn(given.window(), base, given, path);
	}

	/*
	 * Without a window, it is that of the base.
	 */
	private static RateLimit completedIn(@Nullable String window, RateLimit base, RateLimitProperties.Limit given,
			String path) {
		RateLimitAlgorithm algorithm = Objects.requireNonNullElse(given.algorithm(), base.algorithm());
		RateLimit.Builder builder = RateLimit.builder(algorithm)
			.limit(Objects.requireNonNullElse(given.limit(), base.limit()));
		try {
			if (window != null) {
				addWindow(window, given.zone(), given.from(), path, builder);
			}
			else {
				keepWindow(base, given, path, builder);
			}
			addNumbers(given, builder);
			if (algorithm == base.algorithm()) {
				keepNumbers(base, given, builder);
			}
			return builder.build();
		}
		catch (InvalidRateLimitException ex) {
			throw inProperty(ex, path);
		}
	}

	private static void keepWindow(RateLimit base, RateLimitProperties.Limit given, String path,
			RateLimit.Builder builder) {
		CalendarWindow calendar = base.calendar();
		if (calendar == null) {
			addWindow(base.window().toString(), given.zone(), given.from(), path, builder);
			return;
		}

		String zone = Objects.requireNonNullElse(given.zone(), calendar.zone().getId());
		String from = given.from();
		if (from == null) {
			from = calendar.from();
		}
		addWindow(calendar.period().toString(), zone, from, path, builder);
	}

	private static void keepNumbers(RateLimit base, RateLimitProperties.Limit given, RateLimit.Builder builder) {
		boolean isQueue = base.algorithm().uses(Setting.DELAY);
		boolean hasBurst = base.algorithm().uses(Setting.BURST) && base.burst() != base.limit();
		if (given.burst() == null && (isQueue || hasBurst)) {
			builder.burst(base.burst());
		}
		if (isQueue && given.delay() == null && given.nodelay() == null) {
			keepDelay(base, builder);
		}
		if (given.countRejected() == null) {
			builder.countRejected(base.countRejected());
		}
	}

	private static void keepDelay(RateLimit base, RateLimit.Builder builder) {
		if (base.nodelay()) {
			builder.nodelay(true);
		}
		else {
			builder.delay(base.delay());
		}
	}

	static List<RateLimit> of(List<RateLimitProperties.Limit> limits, String path) {
		return of(limits, path, ConfiguredLimits::of);
	}

	private static List<RateLimit> of(List<RateLimitProperties.Limit> limits, String path,
			BiFunction<RateLimitProperties.Limit, String, RateLimit> create) {
		List<RateLimit> created = new ArrayList<>();
		for (int i = 0; i < limits.size(); i++) {
			created.add(create.apply(limits.get(i), path + "[" + i + "]"));
		}
		return created;
	}

	static RateLimit of(RateLimitProperties.Limit limit, String path) {
		return created(Objects.requireNonNullElse(limit.algorithm(), RateLimitAlgorithm.TOKEN_BUCKET), limit, path);
	}

	private static RateLimit created(RateLimitAlgorithm algorithm, RateLimitProperties.Limit limit, String path) {
		Long permits = limit.limit();
		String window = limit.window();
		if (permits == null) {
			throw missing(path, "limit", "Set it to the number of permits per window.");
		}
		if (window == null) {
			throw missing(path, "window", "Set it to the duration that the permits are for, such as 1m.");
		}

		RateLimit.Builder builder = RateLimit.builder(algorithm).limit(permits);
		try {
			addWindow(window, limit.zone(), limit.from(), path, builder);
			addNumbers(limit, builder);
			return builder.build();
		}
		catch (InvalidRateLimitException ex) {
			throw inProperty(ex, path);
		}
	}

	private static InvalidRateLimitException missing(String path, String name, String action) {
		return InvalidRateLimitException.missing(property(path, name), action);
	}

	private static void addWindow(String window, @Nullable String zone, @Nullable String from, String path,
			RateLimit.Builder builder) {
		CalendarWindow calendar = CalendarWindow.parse(window, zone, from);
		if (calendar != null) {
			builder.window(calendar);
		}
		else {
			builder.window(duration(window, property(path, "window")));
		}
	}

	private static void addNumbers(RateLimitProperties.Limit limit, RateLimit.Builder builder) {
		builder.burst(limit.burst())
			.delay(limit.delay())
			.nodelay(Boolean.TRUE.equals(limit.nodelay()))
			.countRejected(Boolean.TRUE.equals(limit.countRejected()));
	}

	private static InvalidRateLimitException inProperty(InvalidRateLimitException mistake, String path) {
		if (mistake.isProperty() || path.isEmpty()) {
			return mistake;
		}
		return mistake.inProperty(path);
	}

	/* A path is empty for what is part of no other property. */
	private static String property(String path, String name) {
		if (path.isEmpty()) {
			return name;
		}
		return path + "." + name;
	}

	static Duration duration(String window, String property) {
		Duration duration;
		try {
			duration = DurationStyle.detectAndParse(window);
		}
		catch (IllegalArgumentException ex) {
			throw InvalidRateLimitException.property(property, window, "is not a duration", MistakenValue.DURATION, ex);
		}
		if (!duration.isZero()) {
			PropertyBinding.checkUnit(property, window);
		}
		return duration;
	}

}
