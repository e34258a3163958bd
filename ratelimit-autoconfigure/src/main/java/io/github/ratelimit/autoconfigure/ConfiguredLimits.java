package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
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
	static List<RateLimit> over(List<RateLimit> defined, RateLimitProperties.Limits given, String path) {
		boolean isOne = defined.size() == 1 && given.limits().size() <= 1;
		return of(given, path, (limit, place) -> over(defined, isOne, limit, place));
	}

	private static RateLimit over(List<RateLimit> defined, boolean isOne, RateLimitProperties.Limit given,
			String path) {
		if (given.limit() == null || given.window() == null) {
			return of(given, path);
		}
		for (RateLimit each : defined) {
			if (isSameWindow(each, given)) {
				return over(each, (each.calendar() != null) ? with(each.algorithm(), null, given) : given, path);
			}
		}
		if (isOne) {
			return over(defined.get(0), given, path);
		}
		Set<RateLimitAlgorithm> algorithms = defined.stream().map(RateLimit::algorithm).collect(Collectors.toSet());
		if (given.algorithm() == null && algorithms.size() > 1) {
			checkWindow(given.window(), given, path);
			throw InvalidRateLimitException.property(path + ".algorithm", null,
					"is missing, and what is overridden has limits of several algorithms and none of this window",
					"Set it to the algorithm that is to count.", null);
		}
		return of((given.algorithm() != null) ? given : with(algorithms.iterator().next(), given.window(), given),
				path);
	}

	/*
	 * A window that cannot be read is that of no defined limit, and is to be told first.
	 */
	private static void checkWindow(String window, RateLimitProperties.Limit given, String path) {
		try {
			if (CalendarWindow.parse(window, given.zone(), given.from()) == null) {
				duration(window, path + ".window");
			}
		}
		catch (InvalidRateLimitException ex) {
			throw ex.isProperty() ? ex : ex.inProperty(path);
		}
	}

	private static boolean isSameWindow(RateLimit defined, RateLimitProperties.Limit given) {
		String window = Objects.requireNonNull(given.window());
		if (given.algorithm() != null && given.algorithm() != defined.algorithm()) {
			return false;
		}
		CalendarWindow calendar = defined.calendar();
		if (calendar != null) {
			return window.equalsIgnoreCase(calendar.period().toString());
		}
		try {
			return given.zone() == null && DurationStyle.detectAndParse(window).equals(defined.window());
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	private static RateLimitProperties.Limit with(RateLimitAlgorithm algorithm, @Nullable String window,
			RateLimitProperties.Limit given) {
		return new RateLimitProperties.Limit(algorithm, given.limit(), window, given.zone(), given.from(),
				given.burst(), given.delay(), given.nodelay(), given.countRejected());
	}

	private static List<RateLimit> of(RateLimitProperties.Limits limits, String path,
			BiFunction<RateLimitProperties.Limit, String, RateLimit> create) {
		Map<String, Object> single = limits.single().given();
		if (single.isEmpty()) {
			return of(limits.limits(), path + ".limits", create);
		}
		if (!limits.limits().isEmpty()) {
			Map.Entry<String, Object> first = single.entrySet().iterator().next();
			throw InvalidRateLimitException.property(path + "." + first.getKey(), first.getValue(),
					"is a number of the policy's only limit, but the policy has the list '" + path + ".limits' too",
					"Write a single limit directly in the policy, or all limits in the list.", null);
		}
		return List.of(create.apply(limits.single(), path));
	}

	/**
	 * Creates the single limit of a policy that leaves numbers to an annotation. A burst
	 * that is the default is that of the new numbers. A calendar belongs to its window,
	 * and what only some algorithms use to the annotation's.
	 */
	static RateLimit over(RateLimit annotated, RateLimitProperties.Limit given, String path) {
		boolean same = given.algorithm() == null || given.algorithm() == annotated.algorithm();
		boolean leaky = same && annotated.algorithm().uses("delay");
		boolean burst = leaky
				|| (same && annotated.algorithm().uses("burst") && annotated.burst() != annotated.limit());
		boolean delay = leaky && !annotated.nodelay() && given.nodelay() == null;
		CalendarWindow calendar = (given.window() == null) ? annotated.calendar() : null;
		return of(new RateLimitProperties.Limit(Objects.requireNonNullElse(given.algorithm(), annotated.algorithm()),
				Objects.requireNonNullElse(given.limit(), annotated.limit()),
				Objects.requireNonNullElse(given.window(),
						((annotated.calendar() != null) ? annotated.calendar().period() : annotated.window())
							.toString()),
				(calendar != null) ? Objects.requireNonNullElse(given.zone(), calendar.zone().getId()) : given.zone(),
				(calendar != null && given.from() == null) ? calendar.from() : given.from(),
				burst ? Objects.requireNonNullElse(given.burst(), annotated.burst()) : given.burst(),
				delay ? Objects.requireNonNullElse(given.delay(), annotated.delay()) : given.delay(),
				Objects.requireNonNullElse(given.nodelay(), leaky && annotated.nodelay() && given.delay() == null),
				Objects.requireNonNullElse(given.countRejected(), same && annotated.countRejected())), path);
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
		Long permits = limit.limit();
		String window = limit.window();
		if (permits == null) {
			throw InvalidRateLimitException.property(path + ".limit", null, "is missing",
					"Set it to the number of permits per window.", null);
		}
		if (window == null) {
			throw InvalidRateLimitException.property(path + ".window", null, "is missing",
					"Set it to the duration that the permits are for, such as 1m.", null);
		}
		try {
			CalendarWindow calendar = CalendarWindow.parse(window, limit.zone(), limit.from());
			RateLimit.Builder builder = RateLimit
				.builder(Objects.requireNonNullElse(limit.algorithm(), RateLimitAlgorithm.TOKEN_BUCKET));
			return ((calendar != null) ? builder.window(calendar) : builder.window(duration(window, path + ".window")))
				.limit(permits)
				.burst(limit.burst())
				.delay(limit.delay())
				.nodelay(Boolean.TRUE.equals(limit.nodelay()))
				.countRejected(Boolean.TRUE.equals(limit.countRejected()))
				.build();
		}
		catch (InvalidRateLimitException ex) {
			throw ex.isProperty() ? ex : ex.inProperty(path);
		}
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
