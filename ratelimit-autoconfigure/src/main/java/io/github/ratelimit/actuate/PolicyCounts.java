package io.github.ratelimit.actuate;

import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a policy, by what became of them, in one instance or in several.
 *
 * @param requests those since the start
 * @param shadow those that were decided on in shadow since the start, or {@code null} if
 * nothing was
 * @param recent those of the last ten minutes, or {@code null} if nothing is known of
 * them yet
 */
record PolicyCounts(Map<String, Long> requests, @Nullable Map<String, Long> shadow,
		@Nullable Map<String, Long> recent) {

	/* Stands for counts that are null. */
	private static final String NONE = "~";

	private static final String SEPARATOR = "\t";

	static PolicyCounts of(StoreRateLimiter limiter, @Nullable Map<String, Long> recent) {
		RateLimitShadow shadow = limiter.shadow();
		Map<String, Long> tried = (shadow != null) ? PolicyDescriptor.requests(shadow::count) : null;
		return new PolicyCounts(PolicyDescriptor.requests(limiter::count), tried, recent);
	}

	/**
	 * Whether nothing has been decided.
	 */
	boolean isEmpty() {
		return areZero(this.requests) && (this.shadow == null || areZero(this.shadow));
	}

	private static boolean areZero(Map<String, Long> counts) {
		return counts.values().stream().allMatch((count) -> count == 0);
	}

	PolicyCounts plus(PolicyCounts other) {
		return new PolicyCounts(sum(this.requests, other.requests), sumOfKnown(this.shadow, other.shadow),
				sumOfKnown(this.recent, other.recent));
	}

	private static @Nullable Map<String, Long> sumOfKnown(@Nullable Map<String, Long> one,
			@Nullable Map<String, Long> other) {
		if (one == null) {
			return other;
		}
		return (other != null) ? sum(one, other) : one;
	}

	private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
		Map<String, Long> sum = new TreeMap<>(one);
		other.forEach((outcome, count) -> sum.merge(outcome, count, Long::sum));
		return sum;
	}

	/**
	 * Writes the counts that are not 0, in a line that has no tabs but between its three
	 * parts.
	 */
	String write() {
		return String.join(SEPARATOR, write(this.requests), write(this.shadow), write(this.recent));
	}

	private static String write(@Nullable Map<String, Long> counts) {
		if (counts == null) {
			return NONE;
		}
		StringJoiner text = new StringJoiner(" ");
		counts.forEach((outcome, count) -> {
			if (count != 0) {
				text.add(outcome + "=" + count);
			}
		});
		return text.toString();
	}

	/**
	 * Reads what an instance has written, with the zeros that it has left out.
	 * @throws RuntimeException if it is no such text
	 */
	static PolicyCounts read(String text) {
		String[] parts = text.split(SEPARATOR, -1);
		Map<String, Long> requests = readPart(parts[0]);
		if (requests == null) {
			throw new IllegalArgumentException("no requests");
		}
		Map<String, Long> recent = readPart(parts[2]);
		if (recent != null) {
			recent.putIfAbsent(PolicyHistory.Shown.WOULD_BE_REJECTED.id(), 0L);
		}
		return new PolicyCounts(requests, readPart(parts[1]), recent);
	}

	private static @Nullable Map<String, Long> readPart(String text) {
		if (text.equals(NONE)) {
			return null;
		}
		Map<String, Long> counts = new TreeMap<>(PolicyDescriptor.requests((outcome) -> 0L));
		if (text.isEmpty()) {
			return counts;
		}
		for (String count : text.split(" ")) {
			int equals = count.indexOf('=');
			counts.put(count.substring(0, equals), Long.parseLong(count, equals + 1, count.length(), 10));
		}
		return counts;
	}

}
