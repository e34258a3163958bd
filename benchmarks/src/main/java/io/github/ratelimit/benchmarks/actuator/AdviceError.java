package io.github.ratelimit.benchmarks.actuator;

import io.github.ratelimit.advice.Advice;

/**
 * How far advice is off.
 *
 * @param callers the largest error in the share of callers, of all rates and bursts
 * @param callersOfFew the largest of rates and bursts that reject few of them
 * @param requests the largest error in the share of requests, relative to the share, of
 * those that are larger than nobody minds
 */
record AdviceError(double callers, double callersOfFew, double requests) {

	static final AdviceError NONE = new AdviceError(0, 0, 0);

	/* One in 20: nobody chooses a limit that rejects more. */
	private static final double FEW = 0.05;

	private static final double NOBODY_MINDS = 0.002;

	static AdviceError of(Advice advice, ExactReplay exact) {
		AdviceError error = NONE;
		for (int rate = 0; rate < advice.curves().size(); rate++) {
			Advice.Curve curve = advice.curves().get(rate);
			for (int burst = 0; burst < curve.points().size(); burst++) {
				error = error
					.or(of(curve.points().get(burst), exact.callers(rate, burst), exact.requests(rate, burst)));
			}
		}
		return error;
	}

	private static AdviceError of(Advice.Point point, double callers, double requests) {
		double ofCallers = Math.abs(point.callers() - callers);
		double ofRequests = Math.abs(point.requests() - requests);
		return new AdviceError(ofCallers, (callers <= FEW) ? ofCallers : 0,
				(ofRequests > NOBODY_MINDS) ? ofRequests / Math.max(requests, NOBODY_MINDS) : 0);
	}

	/**
	 * The larger of two errors.
	 */
	AdviceError or(AdviceError other) {
		return new AdviceError(Math.max(this.callers, other.callers), Math.max(this.callersOfFew, other.callersOfFew),
				Math.max(this.requests, other.requests));
	}

}
