package io.github.ratelimit.advice;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.RateLimitPolicy;

/**
 * Numbers as people write them, and limits as configuration files have them.
 */
final class AdviceText {

	private AdviceText() {
	}

	static String rate(long limit, Duration window) {
		return number(limit) + switch ((int) Math.min(window.toMillis(), Integer.MAX_VALUE)) {
			case 1000 -> " a second";
			case 60_000 -> " a minute";
			case 3_600_000 -> " an hour";
			case 86_400_000 -> " a day";
			default -> " per " + DurationText.of(window);
		};
	}

	static String number(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

	/**
	 * Two digits, as more would not be known.
	 */
	static String percent(double share) {
		BigDecimal percent = BigDecimal.valueOf(share * 100).round(new MathContext(2));
		return (share > 0 && share < 0.0001) ? "less than 0.01 %" : percent.stripTrailingZeros().toPlainString() + " %";
	}

	static String times(double before, double after) {
		boolean more = after > before;
		double factor = more ? after / before : before / after;
		String text = (factor > 100) ? "more than 100" : String.format(Locale.ROOT, "%.1f", factor);
		return text + (more ? " times as often" : " times as rarely");
	}

	/**
	 * The largest unit of a time, such as 3 d.
	 */
	static String time(Duration time) {
		return DurationText.of(time.truncatedTo(ChronoUnit.SECONDS)).replaceFirst("^(\\S+ \\S+) .*", "$1");
	}

	/**
	 * A limit as a configuration file has it.
	 */
	static String yaml(RateLimitPolicy policy, long limit, Duration window, long burst) {
		String name = policy.name().matches("[-a-z0-9]*") ? policy.name() : "[" + policy.name() + "]";
		String key = (policy.key() != null) ? "      key: " + quoted(policy.key()) + "\n" : "";
		return """
				ratelimit:
				  policies:
				    %s:
				      mode: shadow # rejects nobody until it is removed
				%s      limit: %d
				      window: %s
				      burst: %d
				""".formatted(quoted(name), key, limit, window(window), burst);
	}

	/* In quotes everything is text. */
	private static String quoted(String text) {
		return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + '"';
	}

	private static String window(Duration window) {
		long[] units = { 86_400_000_000L, 3_600_000_000L, 60_000_000, 1_000_000, 1000, 1 };
		String[] names = { "d", "h", "m", "s", "ms", "us" };
		long micros = window.toNanos() / 1000;
		int largest = 0;
		while (micros % units[largest] != 0) {
			largest++;
		}
		return micros / units[largest] + names[largest];
	}

}
