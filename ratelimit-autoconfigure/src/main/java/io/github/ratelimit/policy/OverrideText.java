package io.github.ratelimit.policy;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides.InForce;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * How instances tell each other of an override: as properties, which every Java platform
 * reads and writes, and which look as in a configuration file. A text with a property
 * that is not known, as of a later version of the application, is not read at all.
 */
final class OverrideText {

	/* A policy's name has no slash. */
	private static final String KEY = "/key/";

	private static final String PLAN = "/plan/";

	private OverrideText() {
	}

	static String name(RateLimitOverride.Target target) {
		if (target.key() != null) {
			return target.policy() + KEY + target.key();
		}
		return (target.plan() != null) ? target.policy() + PLAN + target.plan() : target.policy();
	}

	static RateLimitOverride.Target target(String name) {
		int end = name.indexOf('/');
		if (end < 0) {
			return new RateLimitOverride.Target(name, null, null);
		}
		String policy = name.substring(0, end);
		if (name.startsWith(KEY, end)) {
			return new RateLimitOverride.Target(policy, null, name.substring(end + KEY.length()));
		}
		if (name.startsWith(PLAN, end)) {
			return new RateLimitOverride.Target(policy, name.substring(end + PLAN.length()), null);
		}
		throw new IllegalArgumentException("it is neither a policy's, nor that of a key or a plan");
	}

	static String write(RateLimitOverride override, Instant since) {
		Properties properties = new Properties();
		set(properties, "since", since);
		set(properties, "mode", override.mode());
		set(properties, "for", override.duration());
		set(properties, "reason", override.reason());
		set(properties, "who", override.who());
		for (int i = 0; i < override.limits().size(); i++) {
			write(override.limits().get(i), "limits[" + i + "].", properties);
		}
		StringWriter text = new StringWriter();
		try {
			properties.store(text, null);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return text.toString();
	}

	private static void write(RateLimit limit, String prefix, Properties properties) {
		RateLimitAlgorithm algorithm = limit.algorithm();
		set(properties, prefix + "algorithm", algorithm);
		set(properties, prefix + "limit", limit.limit());
		CalendarWindow calendar = limit.calendar();
		set(properties, prefix + "window", (calendar != null) ? period(calendar) : limit.window());
		set(properties, prefix + "zone", (calendar != null) ? calendar.zone() : null);
		set(properties, prefix + "from", (calendar != null) ? calendar.from() : null);
		set(properties, prefix + "burst", algorithm.uses("burst") ? limit.burst() : null);
		set(properties, prefix + "delay", (algorithm.uses("delay") && !limit.nodelay()) ? limit.delay() : null);
		set(properties, prefix + "nodelay", limit.nodelay() ? true : null);
		set(properties, prefix + "count-rejected", limit.countRejected() ? true : null);
	}

	/* A week is P7D otherwise. */
	private static String period(CalendarWindow calendar) {
		return "P1" + Character.toUpperCase(calendar.unit().charAt(0));
	}

	private static void set(Properties properties, String name, @Nullable Object value) {
		if (value != null) {
			properties.setProperty(name, value.toString());
		}
	}

	/**
	 * Reads what an instance has written.
	 * @throws RuntimeException if it is no such text
	 */
	static InForce read(RateLimitOverride.Target target, SharedOverrides.Entry written) {
		Properties properties = new Properties();
		try {
			properties.load(new StringReader(written.text()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Map<String, String> left = new TreeMap<>();
		properties.forEach((name, value) -> left.put((String) name, (String) value));
		Instant since = Instant.parse(take(left, "since"));
		List<RateLimit> limits = new ArrayList<>();
		while (left.containsKey("limits[" + limits.size() + "].limit")) {
			limits.add(limit(left, "limits[" + limits.size() + "]."));
		}
		String mode = left.remove("mode");
		String duration = left.remove("for");
		RateLimitOverride override = new RateLimitOverride(target, limits,
				(mode != null) ? RateLimitMode.valueOf(mode) : null,
				(duration != null) ? Duration.parse(duration) : null, left.remove("reason"), left.remove("who"));
		if (!left.isEmpty()) {
			throw new IllegalArgumentException("it has properties that are not known here: " + left.keySet());
		}
		return new InForce(override, written.version(), since, end(written));
	}

	static @Nullable Instant end(SharedOverrides.Entry written) {
		return (written.endNanos() != 0) ? Instant.ofEpochSecond(0, written.endNanos()) : null;
	}

	private static RateLimit limit(Map<String, String> left, String prefix) {
		RateLimit.Builder limit = RateLimit.builder(RateLimitAlgorithm.valueOf(take(left, prefix + "algorithm")));
		String window = take(left, prefix + "window");
		String zone = left.remove(prefix + "zone");
		CalendarWindow calendar = (zone != null) ? CalendarWindow.parse(window, zone, left.remove(prefix + "from"))
				: null;
		limit = (calendar != null) ? limit.window(calendar) : limit.window(Duration.parse(window));
		return limit.limit(Long.parseLong(take(left, prefix + "limit")))
			.burst(number(left.remove(prefix + "burst")))
			.delay(number(left.remove(prefix + "delay")))
			.nodelay(left.remove(prefix + "nodelay") != null)
			.countRejected(left.remove(prefix + "count-rejected") != null)
			.build();
	}

	private static @Nullable Long number(@Nullable String value) {
		return (value != null) ? Long.valueOf(value) : null;
	}

	private static String take(Map<String, String> left, String name) {
		String value = left.remove(name);
		if (value == null) {
			throw new IllegalArgumentException("it has no '" + name + "'");
		}
		return value;
	}

}
