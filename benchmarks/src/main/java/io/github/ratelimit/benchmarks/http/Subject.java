package io.github.ratelimit.benchmarks.http;

import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.benchmarks.measure.Estimate;
import io.github.ratelimit.benchmarks.measure.Measurement;

/**
 * A contender in a situation: what has a server of its own.
 *
 * @param contender who limits the requests
 * @param situation what becomes of them
 */
record Subject(Contender contender, Situation situation) {

	static List<Subject> all() {
		return Arrays.stream(Situation.values())
			.flatMap((situation) -> Arrays.stream(Contender.values())
				.filter((contender) -> contender.limits() || situation == Situation.ALLOWED)
				.map((contender) -> new Subject(contender, situation)))
			.toList();
	}

	Subject in(Situation situation) {
		return new Subject(this.contender, situation);
	}

	Measurement measured(String metric, Estimate estimate, String unit) {
		return estimate.as(this.situation.title(), this.contender.title(), metric, unit);
	}

	List<String> arguments() {
		return this.contender.arguments(this.situation.limit());
	}

}
