package io.github.ratelimit.test.model;

import java.math.BigInteger;

import org.jspecify.annotations.Nullable;

/**
 * An exact fraction with a positive denominator, whose terms are numbers of 64 bits as
 * long as these suffice. It is reduced when its terms become long and not before, because
 * the greatest common divisor costs more than all the rest.
 */
final class Fraction implements Comparable<Fraction> {

	static final Fraction ZERO = of(0);

	private static final int LONG_TERM = 256;

	private static final int BITS = 62;

	private final long numerator;

	private final long denominator;

	private final @Nullable BigInteger bigNumerator;

	private final @Nullable BigInteger bigDenominator;

	private Fraction(long numerator, long denominator) {
		this.numerator = numerator;
		this.denominator = denominator;
		this.bigNumerator = null;
		this.bigDenominator = null;
	}

	private Fraction(BigInteger numerator, BigInteger denominator) {
		this.numerator = 0;
		this.denominator = 0;
		this.bigNumerator = numerator;
		this.bigDenominator = denominator;
	}

	static Fraction of(long number) {
		return new Fraction(number, 1);
	}

	static Fraction of(long numerator, long denominator) {
		return new Fraction(numerator, denominator);
	}

	private static Fraction reduced(BigInteger numerator, BigInteger denominator) {
		if (denominator.bitLength() < LONG_TERM) {
			return new Fraction(numerator, denominator);
		}
		BigInteger divisor = numerator.gcd(denominator);
		return new Fraction(numerator.divide(divisor), denominator.divide(divisor));
	}

	private BigInteger numerator() {
		return (this.bigNumerator != null) ? this.bigNumerator : BigInteger.valueOf(this.numerator);
	}

	private BigInteger denominator() {
		return (this.bigDenominator != null) ? this.bigDenominator : BigInteger.valueOf(this.denominator);
	}

	private static boolean areSmall(Fraction one, Fraction other) {
		return one.bigNumerator == null && other.bigNumerator == null;
	}

	/* Whether a product fits, and the sum of two such. */
	private static boolean fits(long one, long other) {
		long product = one * other;
		return Math.multiplyHigh(one, other) == product >> 63 && isShort(product);
	}

	private static boolean isShort(long number) {
		return number >> BITS == 0 || number >> BITS == -1;
	}

	Fraction plus(Fraction other) {
		if (areSmall(this, other)) {
			if (this.denominator == other.denominator && isShort(this.numerator) && isShort(other.numerator)) {
				return new Fraction(this.numerator + other.numerator, this.denominator);
			}
			if (fits(this.numerator, other.denominator) && fits(other.numerator, this.denominator)
					&& fits(this.denominator, other.denominator)) {
				return new Fraction(this.numerator * other.denominator + other.numerator * this.denominator,
						this.denominator * other.denominator);
			}
		}
		if (denominator().equals(other.denominator())) {
			return new Fraction(numerator().add(other.numerator()), denominator());
		}
		return reduced(numerator().multiply(other.denominator()).add(other.numerator().multiply(denominator())),
				denominator().multiply(other.denominator()));
	}

	Fraction minus(Fraction other) {
		return plus(other.negated());
	}

	private Fraction negated() {
		return (this.bigNumerator == null && isShort(this.numerator)) ? new Fraction(-this.numerator, this.denominator)
				: new Fraction(numerator().negate(), denominator());
	}

	Fraction times(Fraction other) {
		if (areSmall(this, other) && fits(this.numerator, other.numerator)
				&& fits(this.denominator, other.denominator)) {
			return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
		}
		return reduced(numerator().multiply(other.numerator()), denominator().multiply(other.denominator()));
	}

	Fraction dividedBy(Fraction positive) {
		if (areSmall(this, positive) && fits(this.numerator, positive.denominator)
				&& fits(this.denominator, positive.numerator)) {
			return new Fraction(this.numerator * positive.denominator, this.denominator * positive.numerator);
		}
		return reduced(numerator().multiply(positive.denominator()), denominator().multiply(positive.numerator()));
	}

	Fraction min(Fraction other) {
		return (compareTo(other) <= 0) ? this : other;
	}

	Fraction max(Fraction other) {
		return (compareTo(other) >= 0) ? this : other;
	}

	long floor() {
		if (this.bigNumerator == null) {
			return Math.floorDiv(this.numerator, this.denominator);
		}
		BigInteger[] parts = numerator().divideAndRemainder(denominator());
		return ((parts[1].signum() < 0) ? parts[0].subtract(BigInteger.ONE) : parts[0]).longValueExact();
	}

	long ceil() {
		return -negated().floor();
	}

	@Override
	public int compareTo(Fraction other) {
		if (areSmall(this, other) && fits(this.numerator, other.denominator)
				&& fits(other.numerator, this.denominator)) {
			return Long.compare(this.numerator * other.denominator, other.numerator * this.denominator);
		}
		return numerator().multiply(other.denominator()).compareTo(other.numerator().multiply(denominator()));
	}

	@Override
	public String toString() {
		return numerator() + "/" + denominator();
	}

}
