package io.github.ratelimit.algorithm;

import java.math.BigInteger;

/**
 * Windows of one length, aligned to the epoch, so that every instance agrees on them.
 */
final class Windows {

	private static final int RECIPROCAL_BITS = 62;

	private final long length;

	/* 2^62 / length, times the power of two that makes it a number of 62 bits. */
	private final long reciprocal;

	private final int shift;

	Windows(long length) {
		int scale = Long.SIZE - 1 - Long.numberOfLeadingZeros(length);
		this.length = length;
		this.reciprocal = BigInteger.ONE.shiftLeft(RECIPROCAL_BITS + scale)
			.divide(BigInteger.valueOf(length))
			.longValueExact();
		this.shift = RECIPROCAL_BITS + scale - Long.SIZE;
	}

	long length() {
		return this.length;
	}

	/*
	 * A division would cost as much as the rest of a decision. The reciprocal is rounded
	 * down by so little that the quotient comes out right or one too small.
	 */
	long indexAt(long moment) {
		long index = Math.multiplyHigh(moment, this.reciprocal) >> this.shift;
		return (moment - start(index) < this.length) ? index : index + 1;
	}

	/*
	 * Most often it is the window that was counted last.
	 */
	long indexAt(long moment, long likely) {
		long into = moment - start(likely);
		return (into >= 0 && into < this.length) ? likely : indexAt(moment);
	}

	long start(long index) {
		return index * this.length;
	}

}
