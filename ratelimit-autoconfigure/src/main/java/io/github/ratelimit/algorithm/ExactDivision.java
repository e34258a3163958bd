package io.github.ratelimit.algorithm;

/**
 * Divides products that may exceed 64 bits.
 */
final class ExactDivision {

	private ExactDivision() {
	}

	/**
	 * Computes {@code a * b / divisor}, rounded down. A double gives the quotient to
	 * within a few units, and the remainder, which fits although the product may not,
	 * corrects it.
	 * @param approximate the quotient to within a few units
	 * @param a from 0 to 2^53
	 * @param b from 0 to 2^53
	 * @param divisor from 1 to 2^53
	 * @return the quotient, which must be below 2^53
	 */
	static long corrected(double approximate, long a, long b, long divisor) {
		long quotient = (long) approximate;
		long remainder = a * b - quotient * divisor;
		while (remainder < 0) {
			quotient--;
			remainder += divisor;
		}
		while (remainder >= divisor) {
			quotient++;
			remainder -= divisor;
		}
		return quotient;
	}

	/**
	 * Computes the largest whole number strictly below {@code a * b / divisor}.
	 * @param a from 1 to 2^53
	 * @param b from 1 to 2^53
	 * @param divisor from 1 to 2^53
	 * @return the number, which must be below 2^53
	 */
	static long below(long a, long b, long divisor) {
		if (a == 1) {
			return (b - 1) / divisor;
		}
		long quotient = corrected((double) a * b / divisor, a, b, divisor);
		return (quotient * divisor == a * b) ? quotient - 1 : quotient;
	}

}
