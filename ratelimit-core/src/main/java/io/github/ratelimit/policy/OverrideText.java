package io.github.ratelimit.policy;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;

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
 * Writes and reads an override as instances share it: one line, and one for each limit,
 * of fields in a fixed order. A line with more fields or fewer, as another version of the
 * application writes it, is not read at all.
 */
final class OverrideText {

	/* Stands for a field that is null, or before one that UTF-8 cannot hold. */
	private static final String NONE = "~";

	private static final HexFormat HEX = HexFormat.of();

	private static final int DIGITS = 4;

	private OverrideText() {
	}

	static String name(Target target) {
		return line(target.policy(), target.plan(), target.key());
	}

	static String write(RateLimitOverride override, Instant since) {
		StringJoiner lines = new StringJoiner("\n");
		lines.add(line(since, override.mode(), override.duration(), override.reason(), override.who()));
		for (RateLimit limit : override.limits()) {
			lines.add(line(limit));
		}
		return lines.toString();
	}

	private static String line(RateLimit limit) {
		Period period = null;
		ZoneId zone = null;
		String from = null;
		CalendarWindow calendar = limit.calendar();
		if (calendar != null) {
			period = calendar.period();
			zone = calendar.zone();
			from = calendar.from();
		}

		return line(limit.algorithm(), limit.limit(), limit.window(), period, zone, from, limit.burst(), limit.delay(),
				limit.nodelay(), limit.countRejected());
	}

	static String line(@Nullable Object... values) {
		StringJoiner line = new StringJoiner(" ");
		for (Object value : values) {
			line.add(field(value));
		}
		return line.toString();
	}

	private static String field(@Nullable Object value) {
		if (value == null) {
			return NONE;
		}
		String text = value.toString();
		if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
			return URLEncoder.encode(text, StandardCharsets.UTF_8);
		}
		return NONE + text.chars().mapToObj((unit) -> HEX.toHexDigits((char) unit)).collect(Collectors.joining());
	}

	/*
	 * A client may send half of a pair of surrogates, which UTF-8 cannot hold, so that
	 * the key would become another.
	 */
	private static @Nullable String text(String field) {
		if (!field.startsWith(NONE)) {
			return URLDecoder.decode(field, StandardCharsets.UTF_8);
		}
		if (field.equals(NONE)) {
			return null;
		}

		StringBuilder text = new StringBuilder();
		for (int i = NONE.length(); i < field.length(); i += DIGITS) {
			text.append((char) HexFormat.fromHexDigits(field, i, i + DIGITS));
		}
		return text.toString();
	}

	/**
	 * Reads what an instance has written.
	 * @throws RuntimeException if it is no such text
	 */
	static InForce read(String name, SharedOverrides.Entry written) {
		@Nullable String[] names = fields(name, 3);
		String[] lines = written.text().split("\n");
		@Nullable String[] fields = fields(lines[0], 5);
		Target target = new Target(names[0], names[1], names[2]);
		List<RateLimit> limits = Arrays.stream(lines).skip(1).map(OverrideText::limit).toList();
		RateLimitMode mode = value(fields[1], RateLimitMode::valueOf);
		Duration duration = value(fields[2], Duration::parse);
		RateLimitOverride override = new RateLimitOverride(target, limits, mode, duration, fields[3], fields[4]);

		return new InForce(override, written.version(), Instant.parse(fields[0]), end(written));
	}

	static @Nullable Instant end(SharedOverrides.Entry written) {
		return (written.endNanos() != 0) ? Instant.ofEpochSecond(0, written.endNanos()) : null;
	}

	static <T> @Nullable T value(@Nullable String field, Function<String, T> reader) {
		return (field != null) ? reader.apply(field) : null;
	}

	private static RateLimit limit(String line) {
		@Nullable String[] fields = fields(line, 10);
		CalendarWindow calendar = null;
		if (fields[3] != null) {
			calendar = new CalendarWindow(Period.parse(fields[3]), ZoneId.of(fields[4]), fields[5]);
		}
		return new RateLimit(RateLimitAlgorithm.valueOf(fields[0]), Long.parseLong(fields[1]),
				Duration.parse(fields[2]), calendar, Long.parseLong(fields[6]), Long.parseLong(fields[7]),
				Boolean.parseBoolean(fields[8]), Boolean.parseBoolean(fields[9]));
	}

	static @Nullable String[] fields(String line, int expected) {
		@Nullable String[] fields = line.split(" ", -1);
		if (fields.length != expected) {
			throw new IllegalArgumentException("it is not written as this version of the application writes it");
		}
		for (int i = 0; i < expected; i++) {
			fields[i] = text(fields[i]);
		}
		return fields;
	}

}
