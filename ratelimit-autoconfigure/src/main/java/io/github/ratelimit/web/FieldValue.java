package io.github.ratelimit.web;

/**
 * The parts of a header field's value, in arrays that are just long enough.
 */
final class FieldValue {

	static final byte[] NONE = {};

	private static final byte[] SEPARATOR = { ',', ' ' };

	/* The digits of the numbers that nearly all fields have. */
	private static final byte[][] SMALL = new byte[1024][];

	static {
		for (int i = 0; i < SMALL.length; i++) {
			SMALL[i] = digits(i);
		}
	}

	private FieldValue() {
	}

	/**
	 * Renders a number.
	 * @param number the number, from 0
	 * @return its decimal digits, in an array of the caller's own
	 */
	static byte[] of(long number) {
		return (number < SMALL.length) ? SMALL[(int) number].clone() : digits(number);
	}

	/**
	 * Renders a number that is part of a value.
	 * @param number the number, from 0
	 * @return its decimal digits, in an array that others may share
	 */
	static byte[] part(long number) {
		return (number < SMALL.length) ? SMALL[(int) number] : digits(number);
	}

	private static byte[] digits(long number) {
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
		return concat(list, SEPARATOR, item, NONE);
	}

	static byte[] concat(byte[] first, byte[] second, byte[] third, byte[] fourth) {
		byte[] all = new byte[first.length + second.length + third.length + fourth.length];
		System.arraycopy(first, 0, all, 0, first.length);
		System.arraycopy(second, 0, all, first.length, second.length);
		System.arraycopy(third, 0, all, first.length + second.length, third.length);
		System.arraycopy(fourth, 0, all, all.length - fourth.length, fourth.length);
		return all;
	}

}
