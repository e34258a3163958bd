package io.github.ratelimit.benchmarks.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import io.github.ratelimit.benchmarks.measure.Estimate;

/**
 * What every server did in each round.
 */
final class Samples {

	private final Map<Subject, List<Sample>> samples = new HashMap<>();

	void add(Subject subject, Sample sample) {
		this.samples.computeIfAbsent(subject, (absent) -> new ArrayList<>()).add(sample);
	}

	Estimate estimate(Subject subject, ToDoubleFunction<Sample> figure) {
		return Estimate.of(of(subject).stream().mapToDouble(figure).toArray());
	}

	/**
	 * Compares two round by round, so that what slowed down both is not held against one.
	 */
	Estimate compare(Subject one, Subject other, ToDoubleBiFunction<Sample, Sample> comparison) {
		List<Sample> ones = of(one);
		List<Sample> others = of(other);
		return Estimate.of(IntStream.range(0, ones.size())
			.mapToDouble((round) -> comparison.applyAsDouble(ones.get(round), others.get(round)))
			.toArray());
	}

	private List<Sample> of(Subject subject) {
		return this.samples.getOrDefault(subject, List.of());
	}

}
