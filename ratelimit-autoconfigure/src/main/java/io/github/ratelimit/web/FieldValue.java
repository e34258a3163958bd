package io.github.ratelimit.web;

/**
 * The parts of a header field's value, in arrays that are just long enough.
 */
final class FieldValue {

	static final byte[] NONE = {};

	private static final byte[] SEPARATOR = { ',', ' ' };

	private FieldValue() {
	}

	/**
	 * Renders a number.
	 * @param number the number, from 0
	 * @return its decimal digits, in an array of the caller's own
	 */
	static byte[] of(long number) {
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
