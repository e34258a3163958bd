package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

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
		Map<String, Object> single = single(limits);
		if (single.isEmpty()) {
			return of(limits.limits(), path + ".limits");
		}
		if (!limits.limits().isEmpty()) {
			Map.Entry<String, Object> first = single.entrySet().iterator().next();
			throw InvalidRateLimitException.property(path + "." + first.getKey(), first.getValue(),
					"is a number of the policy's only limit, but the policy has the list '" + path + ".limits' too",
					"Write a single limit directly in the policy, or all limits in the list.", null);
		}
		return List.of(of(new RateLimitProperties.Limit(
				Objects.requireNonNullElse(limits.algorithm(), RateLimitAlgorithm.TOKEN_BUCKET), limits.limit(),
				limits.window(), limits.zone(), limits.from(), limits.burst(), limits.delay(),
				Boolean.TRUE.equals(limits.nodelay()), Boolean.TRUE.equals(limits.countRejected())), path));
	}

	static boolean areSingle(RateLimitProperties.Limits limits) {
		return !single(limits).isEmpty();
	}

	private static Map<String, Object> single(RateLimitProperties.Limits limits) {
		Map<String, @Nullable Object> numbers = new LinkedHashMap<>();
		numbers.put("limit", limits.limit());
		numbers.put("window", limits.window());
		numbers.put("zone", limits.zone());
		numbers.put("from", limits.from());
		numbers.put("algorithm", (limits.algorithm() != null) ? limits.algorithm().id() : null);
		numbers.put("burst", limits.burst());
		numbers.put("delay", limits.delay());
		numbers.put("nodelay", limits.nodelay());
		numbers.put("count-rejected", limits.countRejected());
		numbers.values().removeIf(Objects::isNull);
		return numbers;
	}

	/**
	 * Creates the single limit of a policy that leaves numbers to an annotation. A burst
	 * that is the default is that of the new numbers. A calendar belongs to its window,
	 * and what only some algorithms use to the annotation's.
	 */
	static RateLimit over(RateLimit annotated, RateLimitProperties.Policy policy, String path) {
		boolean same = policy.algorithm() == null || policy.algorithm() == annotated.algorithm();
		boolean leaky = same && annotated.algorithm().uses("delay");
		boolean burst = leaky
				|| (same && annotated.algorithm().uses("burst") && annotated.burst() != annotated.limit());
		boolean delay = leaky && !annotated.nodelay() && policy.nodelay() == null;
		CalendarWindow calendar = (policy.window() == null) ? annotated.calendar() : null;
		return of(new RateLimitProperties.Limit(Objects.requireNonNullElse(policy.algorithm(), annotated.algorithm()),
				Objects.requireNonNullElse(policy.limit(), annotated.limit()),
				Objects.requireNonNullElse(policy.window(), window(annotated)),
				(calendar != null) ? Objects.requireNonNullElse(policy.zone(), calendar.zone().getId()) : policy.zone(),
				(calendar != null && policy.from() == null) ? calendar.from() : policy.from(),
				burst ? Objects.requireNonNullElse(policy.burst(), annotated.burst()) : policy.burst(),
				delay ? Objects.requireNonNullElse(policy.delay(), annotated.delay()) : policy.delay(),
				Objects.requireNonNullElse(policy.nodelay(), leaky && annotated.nodelay() && policy.delay() == null),
				Objects.requireNonNullElse(policy.countRejected(), same && annotated.countRejected())), path);
	}

	private static String window(RateLimit limit) {
		CalendarWindow calendar = limit.calendar();
		return (calendar != null) ? "P1" + calendar.unit().charAt(0) : limit.window().toString();
	}

	static List<RateLimit> of(List<RateLimitProperties.Limit> limits, String path) {
		return IntStream.range(0, limits.size()).mapToObj((i) -> of(limits.get(i), path + "[" + i + "]")).toList();
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
			RateLimit.Builder builder = RateLimit.builder(limit.algorithm());
			return ((calendar != null) ? builder.window(calendar) : builder.window(duration(window, path + ".window")))
				.limit(permits)
				.burst(limit.burst())
				.delay(limit.delay())
				.nodelay(limit.nodelay())
				.countRejected(limit.countRejected())
				.build();
		}
		catch (InvalidRateLimitException ex) {
			throw ex.isProperty() ? ex : ex.inProperty(path);
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
