package io.github.ratelimit.test.model;

import java.math.BigInteger;

/**
 * An exact fraction, as plain as its definition, because nothing checks the model.
 *
 * @param numerator the numerator
 * @param denominator the denominator, positive
 */
record Fraction(BigInteger numerator, BigInteger denominator) implements Comparable<Fraction> {

	static final Fraction ZERO = of(0);

	/* Reducing takes longer than calculating with a few words more. */
	private static final int LONG_TERM = 256;

	static Fraction of(long number) {
		return of(number, 1);
	}

	static Fraction of(long numerator, long denominator) {
		return new Fraction(BigInteger.valueOf(numerator), BigInteger.valueOf(denominator));
	}

	private static Fraction reduced(BigInteger numerator, BigInteger denominator) {
		if (denominator.bitLength() < LONG_TERM) {
			return new Fraction(numerator, denominator);
		}
		BigInteger divisor = numerator.gcd(denominator);
		return new Fraction(numerator.divide(divisor), denominator.divide(divisor));
	}

	Fraction plus(Fraction other) {
		return reduced(this.numerator.multiply(other.denominator).add(other.numerator.multiply(this.denominator)),
				this.denominator.multiply(other.denominator));
	}

	Fraction minus(Fraction other) {
		return plus(new Fraction(other.numerator.negate(), other.denominator));
	}

	Fraction times(Fraction other) {
		return reduced(this.numerator.multiply(other.numerator), this.denominator.multiply(other.denominator));
	}

	Fraction dividedBy(Fraction positive) {
		return reduced(this.numerator.multiply(positive.denominator), this.denominator.multiply(positive.numerator));
	}

	Fraction min(Fraction other) {
		return (compareTo(other) <= 0) ? this : other;
	}

	Fraction max(Fraction other) {
		return (compareTo(other) >= 0) ? this : other;
	}

	long floor() {
		BigInteger[] parts = this.numerator.divideAndRemainder(this.denominator);
		return ((parts[1].signum() < 0) ? parts[0].subtract(BigInteger.ONE) : parts[0]).longValueExact();
	}

	long ceil() {
		return -ZERO.minus(this).floor();
	}

	@Override
	public int compareTo(Fraction other) {
		return this.numerator.multiply(other.denominator).compareTo(other.numerator.multiply(this.denominator));
	}

}
