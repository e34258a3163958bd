package io.github.ratelimit.web;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;

/**
 * A limit as an item of {@code RateLimit-Policy} and of {@code RateLimit}, as
 * draft-ietf-httpapi-ratelimit-headers-11 (2026-05-23) has them. What another revision
 * renames or defines anew changes here.
 */
final class DraftItem {

	static final byte[] NONE = {};

	private static final byte[] SEPARATOR = { ',', ' ' };

	/* Its value is the seconds within which a client is to use no more than remains. */
	private static final byte[] EFFECTIVE_WINDOW = ascii(";t=");

	/* Its value is the number of permits that remain. */
	private static final String AVAILABLE_QUOTA = ";r=";

	private static final String QUOTA = ";q=";

	private static final String WINDOW = ";w=";

	private static final long SECOND = 1_000_000_000L;

	/* This is far more than the error of a product, and far less than anybody sees. */
	private static final double TOLERANCE = 1e-6;

	/* The item of RateLimit-Policy. */
	final byte[] policy;

	/* The beginning of the item of RateLimit, up to the number that remains. */
	private final byte[] standing;

	/* The same behind another item. */
	private final byte[] nextStanding;

	/* The number of permits from which the limit counts down. */
	final byte[] capacity;

	/* Whether permits come back one by one, at the limit's rate. */
	private final boolean refills;

	private final double secondsPerPermit;

	DraftItem(String name, RateLimit limit) {
		String quoted = quote(name);
		this.standing = ascii(quoted + AVAILABLE_QUOTA);
		this.nextStanding = joined(NONE, this.standing);
		String item = quoted + QUOTA + limit.limit();
		boolean wholeSeconds = limit.calendar() == null && limit.window().getNano() == 0;
		if (wholeSeconds) {
			item += WINDOW + limit.window().toSeconds();
		}
		this.policy = ascii(item);
		this.capacity = digits(limit.capacity());
		this.refills = refills(limit.algorithm());
		this.secondsPerPermit = (double) limit.window().toNanos() / SECOND / limit.limit();
	}

	/*
	 * The compiler asks here about each further algorithm.
	 */
	private static boolean refills(RateLimitAlgorithm algorithm) {
		return switch (algorithm) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> true;
			case FIXED_WINDOW_COUNTER, SLIDING_WINDOW_LOG, SLIDING_WINDOW_COUNTER -> false;
		};
	}

	/**
	 * Renders the item of RateLimit behind others.
	 * @param before the items in front of it
	 * @param remaining how much remains of the limit, as text
	 * @param window its effective window in seconds, or 0 if there is none
	 * @return all items, in an array of their own
	 */
	byte[] appendStanding(byte[] before, byte[] remaining, long window) {
		byte[] start = (before.length == 0) ? this.standing : this.nextStanding;
		byte[] end = (window == 0) ? NONE : digits(EFFECTIVE_WINDOW, window);
		byte[] items = Arrays.copyOf(before, before.length + start.length + remaining.length + end.length);
		int at = copy(start, items, before.length);
		at = copy(remaining, items, at);
		copy(end, items, at);
		return items;
	}

	/*
	 * The effective window of a window is the time until there is more: until then no
	 * client can use more than remains. For a bucket that would be the time of a single
	 * permit, which invites a client to use all the others within it. So it is the time
	 * until the bucket is full, or until it has earned once more what remains, whichever
	 * is later; a rejected client learns no more than when to come back. For an untouched
	 * limit it is 0.
	 */
	long effectiveWindow(LimitStatus status, boolean allowed, long remaining, long reset) {
		if (!this.refills) {
			return seconds(status.nextPermitAfterNanos());
		}
		if (reset == 0) {
			return 0;
		}

		long earned = (long) Math.ceil(remaining * this.secondsPerPermit - TOLERANCE);
		long window = Math.max(seconds(reset), earned);
		if (allowed || status.retryAfterNanos() == LimitStatus.NEVER) {
			return window;
		}
		return Math.min(window, Math.max(1, seconds(status.retryAfterNanos())));
	}

	/*
	 * The seconds are rounded up.
	 */
	static long seconds(long nanos) {
		return -Math.floorDiv(-nanos, SECOND);
	}

	/*
	 * A string of RFC 9651, and of JSON: printable ASCII, which the policy made sure of.
	 */
	static String quote(String name) {
		return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	/**
	 * Renders a number.
	 * @param number the number, from 0
	 * @return its decimal digits, in an array of the caller's own
	 */
	static byte[] digits(long number) {
		return digits(NONE, number);
	}

	private static byte[] digits(byte[] before, long number) {
		int length = before.length + 1;
		for (long rest = number; rest >= 10; rest /= 10) {
			length++;
		}

		byte[] digits = Arrays.copyOf(before, length);
		long rest = number;
		for (int i = length - 1; i >= before.length; i--) {
			digits[i] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		return digits;
	}

	static byte[] joined(byte[] list, byte[] item) {
		byte[] joined = Arrays.copyOf(list, list.length + SEPARATOR.length + item.length);
		int at = copy(SEPARATOR, joined, list.length);
		copy(item, joined, at);
		return joined;
	}

	private static int copy(byte[] part, byte[] all, int at) {
		System.arraycopy(part, 0, all, at, part.length);
		return at + part.length;
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
