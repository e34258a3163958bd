package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;

import org.springframework.boot.convert.DurationStyle;

/**
 * Creates the limits of a policy, a plan or an override: those of its list, or the single
 * one that is written without it.
 */
final class ConfiguredLimits {

	private ConfiguredLimits() {
	}

	static List<RateLimit> of(RateLimitProperties.Limits limits, String path) {
		Map<String, Object> single = limits.single().given();
		if (single.isEmpty()) {
			return of(limits.limits(), path + ".limits");
		}
		if (!limits.limits().isEmpty()) {
			Map.Entry<String, Object> first = single.entrySet().iterator().next();
			throw InvalidRateLimitException.property(path + "." + first.getKey(), first.getValue(),
					"is a number of the policy's only limit, but the policy has the list '" + path + ".limits' too",
					"Write a single limit directly in the policy, or all limits in the list.", null);
		}
		return List.of(of(limits.single(), path));
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
		List<RateLimit> created = new ArrayList<>();
		for (int i = 0; i < limits.size(); i++) {
			created.add(of(limits.get(i), path + "[" + i + "]"));
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
			throw InvalidRateLimitException.property(property, window, "is not a duration",
					"Write a number with a unit, such as 500ms, 10s, 1m, 1h or 1d, or an ISO-8601 duration such as PT1H.",
					ex);
		}
		if (!duration.isZero()) {
			PropertyBinding.checkUnit(property, window);
		}
		return duration;
	}

}
