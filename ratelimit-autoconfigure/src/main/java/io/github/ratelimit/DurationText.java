package io.github.ratelimit;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * Durations as people write them, such as {@code 3.44 s} or {@code 1 min 30 s}, for all
 * messages.
 *
 * @since 0.1.0
 */
public final class DurationText {

	private static final int NANOS_PER_MILLI = 1_000_000;

	private DurationText() {
	}

	/**
	 * Writes a duration exactly.
	 * @param duration the duration
	 * @return its days, hours, minutes and seconds; milliseconds below a second
	 */
	public static String of(Duration duration) {
		if (duration.isZero()) {
			return "0 s";
		}
		if (duration.isNegative()) {
			return "-(" + of(duration.negated()) + ")";
		}
		if (duration.getSeconds() == 0) {
			return plain(seconds(duration).movePointRight(3)) + " ms";
		}
		StringBuilder text = new StringBuilder();
		append(text, duration.toDays(), " d");
		append(text, duration.toHoursPart(), " h");
		append(text, duration.toMinutesPart(), " min");
		Duration seconds = Duration.ofSeconds(duration.toSecondsPart(), duration.getNano());
		if (!seconds.isZero()) {
			append(text).append(plain(seconds(seconds))).append(" s");
		}
		return text.toString();
	}

	private static void append(StringBuilder text, long number, String unit) {
		if (number != 0) {
			append(text).append(number).append(unit);
		}
	}

	private static StringBuilder append(StringBuilder text) {
		return text.isEmpty() ? text : text.append(' ');
	}

	/**
	 * Writes a time to wait, so that whoever waits for so long has not come too early.
	 * @param wait the duration
	 * @return the duration, rounded up to milliseconds
	 */
	public static String ofWait(Duration wait) {
		int rest = wait.getNano() % NANOS_PER_MILLI;
		return of((rest != 0) ? wait.plusNanos(NANOS_PER_MILLI - rest) : wait);
	}

	/**
	 * Writes a duration as a number.
	 * @param duration the duration
	 * @return its seconds, without zeros at the end of a fraction
	 */
	public static BigDecimal seconds(Duration duration) {
		BigDecimal seconds = BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
		BigDecimal stripped = seconds.stripTrailingZeros();
		return (stripped.scale() < 0) ? stripped.setScale(0) : stripped;
	}

	private static String plain(BigDecimal number) {
		return number.stripTrailingZeros().toPlainString();
	}

}
