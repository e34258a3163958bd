package io.github.ratelimit.web;

import java.util.Arrays;

/**
 * The value of a header field, written into an array that is just long enough; nearly
 * always of one item.
 */
final class FieldValue {

	private static final byte[] NONE = {};

	byte[] bytes = NONE;

	/**
	 * Renders a number.
	 * @param number the number, from 0
	 * @return its decimal digits
	 */
	static byte[] of(long number) {
		byte[] digits = new byte[digits(number)];
		write(number, digits, digits.length);
		return digits;
	}

	/**
	 * Adds an item to the list that the value is.
	 * @param item the item
	 */
	void add(byte[] item) {
		append(item, 0);
	}

	/**
	 * Adds a limit's standing to the list that the value is.
	 * @param name the limit's name, quoted
	 * @param remaining how much remains
	 * @param seconds when there will be more, or 0 for never
	 */
	void add(byte[] name, long remaining, long seconds) {
		int remainingLength = 3 + digits(remaining);
		int length = (seconds > 0) ? remainingLength + 3 + digits(seconds) : remainingLength;
		int start = append(name, length);
		writeParameter('r', remaining, start, start + remainingLength);
		if (seconds > 0) {
			writeParameter('t', seconds, start + remainingLength, start + length);
		}
	}

	/* Appends an item, with room for its parameters; returns where these start. */
	private int append(byte[] item, int room) {
		int start = (this.bytes.length > 0) ? this.bytes.length + 2 : 0;
		byte[] longer = Arrays.copyOf(this.bytes, start + item.length + room);
		if (start > 0) {
			longer[start - 2] = ',';
			longer[start - 1] = ' ';
		}
		System.arraycopy(item, 0, longer, start, item.length);
		this.bytes = longer;
		return start + item.length;
	}

	private void writeParameter(char name, long number, int start, int end) {
		this.bytes[start] = ';';
		this.bytes[start + 1] = (byte) name;
		this.bytes[start + 2] = '=';
		write(number, this.bytes, end);
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

	private static int digits(long number) {
		int digits = 1;
		for (long rest = number; rest >= 10; rest /= 10) {
			digits++;
		}
		return digits;
	}

}
