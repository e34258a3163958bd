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
import java.util.function.Function;

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

	static Target target(String name) {
		String[] fields = fields(name, 3);
		return new Target(decoded(fields[0]), read(fields[1], Function.identity()),
				read(fields[2], Function.identity()));
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
	static InForce read(Target target, SharedOverrides.Entry written) {
		String[] lines = written.text().split("\n");
		String[] fields = fields(lines[0], 5);
		List<RateLimit> limits = Arrays.stream(lines).skip(1).map(OverrideText::limit).toList();
		RateLimitOverride override = new RateLimitOverride(target, limits, read(fields[1], RateLimitMode::valueOf),
				read(fields[2], Duration::parse), read(fields[3], Function.identity()),
				read(fields[4], Function.identity()));
		return new InForce(override, written.version(), Instant.parse(decoded(fields[0])), end(written));
	}

	static @Nullable Instant end(SharedOverrides.Entry written) {
		return (written.endNanos() != 0) ? Instant.ofEpochSecond(0, written.endNanos()) : null;
	}

	private static RateLimit limit(String line) {
		String[] fields = fields(line, 10);
		Period period = read(fields[3], Period::parse);
		CalendarWindow calendar = (period == null) ? null
				: new CalendarWindow(period, ZoneId.of(decoded(fields[4])), read(fields[5], Function.identity()));
		return new RateLimit(RateLimitAlgorithm.valueOf(fields[0]), Long.parseLong(fields[1]),
				Duration.parse(decoded(fields[2])), calendar, Long.parseLong(fields[6]), Long.parseLong(fields[7]),
				Boolean.parseBoolean(fields[8]), Boolean.parseBoolean(fields[9]));
	}

	private static String[] fields(String line, int expected) {
		String[] fields = line.split(" ", -1);
		if (fields.length != expected) {
			throw new IllegalArgumentException("it is not written as this version of the application writes it");
		}
		return fields;
	}

	private static <T> @Nullable T read(String field, Function<String, T> reader) {
		return field.equals(NONE) ? null : reader.apply(decoded(field));
	}

	private static String decoded(String field) {
		return URLDecoder.decode(field, StandardCharsets.UTF_8);
	}

}
