package io.github.ratelimit.benchmarks.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import io.github.ratelimit.benchmarks.measure.Estimate;

/**
 * What every server did in each round.
 */
final class Samples {

	private final Map<Subject, List<List<Sample>>> starts = new HashMap<>();

	/**
	 * Begins with a subject that was started anew.
	 */
	void begin(Subject subject) {
		this.starts.computeIfAbsent(subject, (absent) -> new ArrayList<>()).add(new ArrayList<>());
	}

	void add(Subject subject, Sample sample) {
		List<List<Sample>> starts = this.starts.getOrDefault(subject, List.of());
		starts.get(starts.size() - 1).add(sample);
	}

	Estimate estimate(Subject subject, ToDoubleFunction<List<Sample>> figure) {
		return compare(subject, subject, figure, (one, same) -> one);
	}

	/**
	 * Compares two start by start, so that what slowed down both is not held against one.
	 * @param figure what to make of some rounds
	 * @return the comparison over all starts, beside those of single starts
	 */
	Estimate compare(Subject one, Subject other, ToDoubleFunction<List<Sample>> figure,
			DoubleBinaryOperator comparison) {
		List<List<Sample>> ones = this.starts.getOrDefault(one, List.of());
		List<List<Sample>> others = this.starts.getOrDefault(other, List.of());
		List<Double> each = IntStream.range(0, ones.size())
			.mapToObj((start) -> comparison.applyAsDouble(figure.applyAsDouble(ones.get(start)),
					figure.applyAsDouble(others.get(start))))
			.toList();
		return Estimate.ofProcesses(comparison.applyAsDouble(ofAll(ones, figure), ofAll(others, figure)), each);
	}

	private static double ofAll(List<List<Sample>> starts, ToDoubleFunction<List<Sample>> figure) {
		return figure.applyAsDouble(starts.stream().flatMap(List::stream).toList());
	}

}
