package io.github.ratelimit.benchmarks.report;

import io.github.ratelimit.benchmarks.measure.Measurement;

/**
 * How one figure relates to another.
 *
 * @param value the quotient
 * @param error how far it may be off, by both figures' errors
 */
record Ratio(double value, double error) {

	static Ratio of(Measurement measured, Measurement reference) {
		if (measured.equals(reference)) {
			return new Ratio(1, 0);
		}
		double value = measured.value() / reference.value();
		return new Ratio(value,
				value * Math.hypot(measured.error() / measured.value(), reference.error() / reference.value()));
	}

}
