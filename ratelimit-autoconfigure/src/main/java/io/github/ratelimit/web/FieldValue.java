package io.github.ratelimit.web;

import java.util.Arrays;

/**
 * The value of a header field, written into an array that is just long enough; nearly
 * always of one item.
 */
final class FieldValue {

	private static final byte[] NONE = {};

	/* The digits of the numbers that nearly all fields have. */
	private static final byte[][] SMALL = new byte[1024][];

	static {
		for (int i = 0; i < SMALL.length; i++) {
			SMALL[i] = new byte[digits(i)];
			write(i, SMALL[i], SMALL[i].length);
		}
	}

	byte[] bytes = NONE;

	/**
	 * Renders a number.
	 * @param number the number, from 0
	 * @return its decimal digits, in an array of the caller's own
	 */
	static byte[] of(long number) {
		if (number < SMALL.length) {
			return SMALL[(int) number].clone();
		}
		byte[] digits = new byte[digits(number)];
		write(number, digits, digits.length);
		return digits;
	}

	/**
	 * Adds an item to the list that the value is.
	 * @param item the item
	 */
	void add(byte[] item) {
		byte[] longer = longer(item.length);
		System.arraycopy(item, 0, longer, longer.length - item.length, item.length);
		this.bytes = longer;
	}

	/**
	 * Adds a limit's standing to the list that the value is.
	 * @param item the limit's item
	 * @param remaining how much remains
	 * @param seconds the effective window, or 0 for none
	 */
	void add(DraftItem item, long remaining, long seconds) {
		int quota = item.standing.length
				+ ((remaining < SMALL.length) ? SMALL[(int) remaining].length : digits(remaining));
		int window = (seconds == 0) ? 0 : DraftItem.EFFECTIVE_WINDOW.length
				+ ((seconds < SMALL.length) ? SMALL[(int) seconds].length : digits(seconds));
		byte[] longer = longer(quota + window);
		int start = longer.length - quota - window;
		System.arraycopy(item.standing, 0, longer, start, item.standing.length);
		write(remaining, longer, start + quota);
		if (seconds > 0) {
			System.arraycopy(DraftItem.EFFECTIVE_WINDOW, 0, longer, start + quota, DraftItem.EFFECTIVE_WINDOW.length);
			write(seconds, longer, longer.length);
		}
		this.bytes = longer;
	}

	/* Makes room for an item, and separates it from the one before it. */
	private byte[] longer(int room) {
		int length = this.bytes.length;
		if (length == 0) {
			return new byte[room];
		}
		byte[] longer = Arrays.copyOf(this.bytes, length + 2 + room);
		longer[length] = ',';
		longer[length + 1] = ' ';
		return longer;
	}

	private static int digits(long number) {
		int digits = 1;
		for (long rest = number; rest >= 10; rest /= 10) {
			digits++;
		}
		return digits;
	}

	private static void write(long number, byte[] bytes, int end) {
		int at = end;
		long rest = number;
		do {
			bytes[--at] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		while (rest > 0);
	}

}
