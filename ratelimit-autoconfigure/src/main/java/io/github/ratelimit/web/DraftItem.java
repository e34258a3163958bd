package io.github.ratelimit.web;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm.Setting;

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

	private final boolean bucket;

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
		this.bucket = limit.algorithm().uses(Setting.BURST);
		this.secondsPerPermit = (double) limit.window().toNanos() / SECOND / limit.limit();
	}

	/**
	 * Renders the item of RateLimit.
	 * @param before the items in front of it
	 * @param remaining how much remains of the limit, as text
	 * @param window its effective window in seconds, or 0 if there is none
	 * @return all items, in an array of their own
	 */
	byte[] standing(byte[] before, byte[] remaining, long window) {
		byte[] start = (before.length == 0) ? this.standing : this.nextStanding;
		if (window == 0) {
			return concat(before, start, remaining, NONE, NONE);
		}
		return concat(before, start, remaining, EFFECTIVE_WINDOW, digits(window));
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
		if (!this.bucket) {
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
		int length = 1;
		for (long rest = number; rest >= 10; rest /= 10) {
			length++;
		}

		byte[] digits = new byte[length];
		long rest = number;
		for (int i = length - 1; i >= 0; i--) {
			digits[i] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		return digits;
	}

	static byte[] joined(byte[] list, byte[] item) {
		return concat(list, SEPARATOR, item, NONE, NONE);
	}

	private static byte[] concat(byte[] first, byte[] second, byte[] third, byte[] fourth, byte[] fifth) {
		int middle = first.length + second.length;
		int end = middle + third.length;
		byte[] all = Arrays.copyOf(first, end + fourth.length + fifth.length);
		System.arraycopy(second, 0, all, first.length, second.length);
		System.arraycopy(third, 0, all, middle, third.length);
		System.arraycopy(fourth, 0, all, end, fourth.length);
		System.arraycopy(fifth, 0, all, end + fourth.length, fifth.length);
		return all;
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
