package io.github.ratelimit.advice;

/**
 * The numbers 1, 2, 5, 10, 20, 50 and so on, by index.
 */
final class PreferredNumbers {

	private static final int PER_DECADE = 3;

	private PreferredNumbers() {
	}

	static long get(int index) {
		long number = switch (index % PER_DECADE) {
			case 0 -> 1;
			case 1 -> 2;
			default -> 5;
		};
		for (int i = index / PER_DECADE; i > 0; i--) {
			number *= 10;
		}
		return number;
	}

	/**
	 * The index of the number that is next to another by its ratio.
	 */
	static int nearest(long number) {
		int index = 0;
		while (get(index + 1) <= number) {
			index++;
		}
		return ((double) number / get(index) <= (double) get(index + 1) / number) ? index : index + 1;
	}

}
