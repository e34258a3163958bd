package io.github.ratelimit.support;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.StringJoiner;

/**
 * Writes durations for messages as people do, such as {@code 3.44 s} or
 * {@code 1 min 30 s}.
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
			return seconds(duration.multipliedBy(1000)).toPlainString() + " ms";
		}

		StringJoiner text = new StringJoiner(" ");
		add(text, BigDecimal.valueOf(duration.toDays()), "d");
		add(text, BigDecimal.valueOf(duration.toHoursPart()), "h");
		add(text, BigDecimal.valueOf(duration.toMinutesPart()), "min");
		add(text, seconds(Duration.ofSeconds(duration.toSecondsPart(), duration.getNano())), "s");
		return text.toString();
	}

	private static void add(StringJoiner text, BigDecimal number, String unit) {
		if (number.signum() != 0) {
			text.add(number.toPlainString()).add(unit);
		}
	}

	/**
	 * Writes a time to wait, so that whoever waits for so long has not come too early.
	 * @param wait the duration
	 * @return the duration, rounded up to milliseconds
	 */
	public static String ofWait(Duration wait) {
		int rest = wait.getNano() % NANOS_PER_MILLI;
		if (rest == 0) {
			return of(wait);
		}
		return of(wait.plusNanos(NANOS_PER_MILLI - rest));
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

}
