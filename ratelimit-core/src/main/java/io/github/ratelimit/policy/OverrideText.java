package io.github.ratelimit.policy;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverride.Target;
import io.github.ratelimit.RateLimitOverrides.InForce;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * How instances tell each other of an override: one line, and one for each limit, of
 * fields in a fixed order. A line with more fields or fewer, as of another version of the
 * application, is not read at all.
 */
final class OverrideText {

	/* No field is encoded so. */
	private static final String NONE = "~";

	private OverrideText() {
	}

	static String name(Target target) {
		return line(target.policy(), target.plan(), target.key());
	}

	static String write(RateLimitOverride override, Instant since) {
		StringJoiner lines = new StringJoiner("\n");
		lines.add(line(since, override.mode(), override.duration(), override.reason(), override.who()));
		for (RateLimit limit : override.limits()) {
			CalendarWindow calendar = limit.calendar();
			lines.add(line(limit.algorithm(), limit.limit(), limit.window(),
					(calendar != null) ? calendar.period() : null, (calendar != null) ? calendar.zone() : null,
					(calendar != null) ? calendar.from() : null, limit.burst(), limit.delay(), limit.nodelay(),
					limit.countRejected()));
		}
		return lines.toString();
	}

	private static String line(@Nullable Object... values) {
		StringJoiner line = new StringJoiner(" ");
		for (Object value : values) {
			line.add((value != null) ? URLEncoder.encode(value.toString(), StandardCharsets.UTF_8) : NONE);
		}
		return line.toString();
	}

	/**
	 * Reads what an instance has written.
	 * @throws RuntimeException if it is no such text
	 */
	static InForce read(String name, SharedOverrides.Entry written) {
		@Nullable String[] names = fields(name, 3);
		String[] lines = written.text().split("\n");
		@Nullable String[] fields = fields(lines[0], 5);
		List<RateLimit> limits = Arrays.stream(lines).skip(1).map(OverrideText::limit).toList();
		RateLimitOverride override = new RateLimitOverride(new Target(names[0], names[1], names[2]), limits,
				(fields[1] != null) ? RateLimitMode.valueOf(fields[1]) : null,
				(fields[2] != null) ? Duration.parse(fields[2]) : null, fields[3], fields[4]);
		return new InForce(override, written.version(), Instant.parse(fields[0]),
				(written.endNanos() != 0) ? Instant.ofEpochSecond(0, written.endNanos()) : null);
	}

	private static RateLimit limit(String line) {
		@Nullable String[] fields = fields(line, 10);
		CalendarWindow calendar = (fields[3] == null) ? null
				: new CalendarWindow(Period.parse(fields[3]), ZoneId.of(fields[4]), fields[5]);
		return new RateLimit(RateLimitAlgorithm.valueOf(fields[0]), Long.parseLong(fields[1]),
				Duration.parse(fields[2]), calendar, Long.parseLong(fields[6]), Long.parseLong(fields[7]),
				Boolean.parseBoolean(fields[8]), Boolean.parseBoolean(fields[9]));
	}

	private static @Nullable String[] fields(String line, int expected) {
		@Nullable String[] fields = line.split(" ", -1);
		if (fields.length != expected) {
			throw new IllegalArgumentException("it is not written as this version of the application writes it");
		}
		for (int i = 0; i < expected; i++) {
			fields[i] = fields[i].equals(NONE) ? null : URLDecoder.decode(fields[i], StandardCharsets.UTF_8);
		}
		return fields;
	}

}
