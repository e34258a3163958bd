package io.github.ratelimit.web;

import java.util.Arrays;

/**
 * The value of a header field, written into an array that is just long enough; nearly
 * always of one item.
 */
final class FieldValue {

	private static final byte[] NONE = {};

	private byte[] bytes = NONE;

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
		append(item, item.length);
	}

	/**
	 * Adds a limit's standing to the list that the value is.
	 * @param name the limit's name, quoted
	 * @param remaining how much remains
	 * @param seconds when there will be more, or 0 for never
	 */
	void add(byte[] name, long remaining, long seconds) {
		int length = name.length + 3 + digits(remaining);
		int end = append(name, (seconds > 0) ? length + 3 + digits(seconds) : length);
		if (seconds > 0) {
			end = write('t', seconds, end);
		}
		write('r', remaining, end);
	}

	byte[] bytes() {
		return this.bytes;
	}

	/* Makes room for an item that begins with a text; returns where the item ends. */
	private int append(byte[] text, int length) {
		int start = (this.bytes.length > 0) ? this.bytes.length + 2 : 0;
		byte[] longer = Arrays.copyOf(this.bytes, start + length);
		if (start > 0) {
			longer[start - 2] = ',';
			longer[start - 1] = ' ';
		}
		System.arraycopy(text, 0, longer, start, text.length);
		this.bytes = longer;
		return longer.length;
	}

	/* Writes a parameter that ends at an index; returns where it starts. */
	private int write(char name, long number, int end) {
		int start = write(number, this.bytes, end);
		this.bytes[start - 1] = '=';
		this.bytes[start - 2] = (byte) name;
		this.bytes[start - 3] = ';';
		return start - 3;
	}

	private static int write(long number, byte[] bytes, int end) {
		int at = end;
		long rest = number;
		do {
			bytes[--at] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		while (rest > 0);
		return at;
	}

	private static int digits(long number) {
		int digits = 1;
		for (long rest = number; rest >= 10; rest /= 10) {
			digits++;
		}
		return digits;
	}

}
