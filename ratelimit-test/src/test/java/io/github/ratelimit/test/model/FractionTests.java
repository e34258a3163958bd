package io.github.ratelimit.test.model;

import java.math.BigInteger;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fractions are exact, whether or not their terms fit into 64 bits.
 */
class FractionTests {

	@Test
	void theyAreAddedMultipliedDividedAndComparedExactly() {
		RandomCases.check(20_000, (random) -> {
			long[] terms = { term(random), positive(random), term(random), positive(random) };
			Fraction one = Fraction.of(terms[0], terms[1]);
			Fraction other = Fraction.of(terms[2], terms[3]);
			BigInteger[] big = { big(terms[0]), big(terms[1]), big(terms[2]), big(terms[3]) };
			BigInteger left = big[0].multiply(big[3]);
			BigInteger right = big[2].multiply(big[1]);
			BigInteger common = big[1].multiply(big[3]);
			check(one.plus(other), left.add(right), common);
			check(one.minus(other), left.subtract(right), common);
			check(one.times(other), big[0].multiply(big[2]), common);
			check(one.dividedBy(Fraction.of(terms[3], terms[1])), big[0], big[3]);
			check(one.plus(other).times(other).minus(one),
					left.add(right).multiply(big[2]).subtract(left.multiply(big[3])), common.multiply(big[3]));
			assertThat(Integer.signum(one.compareTo(other))).isEqualTo(left.compareTo(right));
			assertThat(one.min(other).compareTo(one.max(other))).isLessThanOrEqualTo(0);
		});
	}

	private static void check(Fraction fraction, BigInteger numerator, BigInteger denominator) {
		BigInteger floor = floor(numerator, denominator);
		BigInteger ceil = floor(numerator.negate(), denominator).negate();
		assertThat(fraction.toString()).satisfies((text) -> {
			String[] terms = text.split("/");
			assertThat(new BigInteger(terms[0]).multiply(denominator))
				.isEqualTo(numerator.multiply(new BigInteger(terms[1])));
			assertThat(new BigInteger(terms[1]).signum()).isOne();
		});
		if (floor.bitLength() < 63 && ceil.bitLength() < 63) {
			assertThat(fraction.floor()).isEqualTo(floor.longValueExact());
			assertThat(fraction.ceil()).isEqualTo(ceil.longValueExact());
		}
	}

	private static BigInteger floor(BigInteger numerator, BigInteger denominator) {
		BigInteger[] parts = numerator.divideAndRemainder(denominator);
		return (parts[1].signum() < 0) ? parts[0].subtract(BigInteger.ONE) : parts[0];
	}

	/* Of every length, and often at its end. */
	private static long term(Random random) {
		long most = (1L << random.nextInt(64)) - 1;
		long term = random.nextBoolean() ? most - random.nextInt(2) : (random.nextLong() & most);
		return random.nextBoolean() ? term : -term;
	}

	private static long positive(Random random) {
		return Math.max(1, Math.abs(term(random)));
	}

	private static BigInteger big(long number) {
		return BigInteger.valueOf(number);
	}

}
