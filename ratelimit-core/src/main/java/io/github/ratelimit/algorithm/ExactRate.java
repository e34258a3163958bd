package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.time.Duration;

import io.github.ratelimit.RateLimit;

/**
 * A rate as whole numbers: a tick gives {@code scale} units and a permit costs
 * {@code cost} units.
 * <p>
 * The rate limit/window, reduced, is exactly {@code scale / cost} wherever the units that
 * fill the capacity fit the resolution. Where they would not (limits of many digits over
 * windows of days), the scale is as fine as fits and the cost is rounded up, so that the
 * rate stays below the limit by less than one unit in the cost of a permit.
 *
 * @param scale units for each tick
 * @param cost units for each permit
 * @since 0.1.0
 */
public record ExactRate(long scale, long cost) {

	/**
	 * Finds the whole numbers for a bucket.
	 * @param limit a token bucket or leaky bucket
	 * @param resolution the tick that time is counted in
	 * @param debts whether up to one more capacity can be taken than is there
	 * @param maxWait the time whose permits can be reserved besides
	 * @return the numbers, exact if the resolution allows
	 */
	public static ExactRate of(RateLimit limit, Tick resolution, boolean debts, Duration maxWait) {
		return of(limit.limit(), resolution.ticks(limit.window()), Algorithm.maxTaken(limit, debts),
				resolution.ticks(maxWait), resolution);
	}

	static ExactRate of(long limit, long windowTicks, long max, long waitTicks, Tick resolution) {
		BigInteger permits = BigInteger.valueOf(limit);
		BigInteger ticks = BigInteger.valueOf(windowTicks);
		long exactScale = limit / permits.gcd(ticks).longValue();
		BigInteger ticksToFill = ceilDivide(BigInteger.valueOf(max).multiply(ticks), permits)
			.add(BigInteger.valueOf(waitTicks));
		BigInteger finestScale = BigInteger.TWO.pow(resolution.bits()).divide(ticksToFill);
		BigInteger scale = finestScale.min(BigInteger.valueOf(exactScale)).max(BigInteger.ONE);
		return new ExactRate(scale.longValue(), ceilDivide(ticks.multiply(scale), permits).longValueExact());
	}

	private static BigInteger ceilDivide(BigInteger dividend, BigInteger divisor) {
		return dividend.add(divisor).subtract(BigInteger.ONE).divide(divisor);
	}

}
