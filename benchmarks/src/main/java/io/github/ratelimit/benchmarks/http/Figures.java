package io.github.ratelimit.benchmarks.http;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * What is made of the samples, and how it is to be read.
 */
final class Figures {

	private static final String THROUGHPUT = "throughput";

	private static final String CPU = "CPU time of the server for a request";

	private static final String MEDIAN = "median latency";

	private static final String P99 = "99th percentile of latency";

	private static final String ALLOCATED = "bytes that the limiter allocates for a request";

	private static final String AGAINST_ALLOWED = "throughput, × that of allowed requests";

	private static final String RULE = Contender.RULE.title();

	private static final String ANNOTATION = Contender.ANNOTATION.title();

	private Figures() {
	}

	static List<Table> tables() {
		String allowed = Situation.ALLOWED.title();
		String rejected = Situation.REJECTED.title();
		return List.of(
				beside(allowed, THROUGHPUT).goal(Goal.atLeast(0.97), RULE).goal(Goal.atLeast(0.95), ANNOTATION).drawn(),
				beside(allowed, CPU).goal(Goal.atMost(1.03), RULE).goal(Goal.atMost(1.05), ANNOTATION),
				beside(allowed, MEDIAN), beside(allowed, P99),
				Table.ofFigures(allowed, ALLOCATED).goal(Goal.atMost(1024), RULE, ANNOTATION),
				Table.ofFigures(rejected, AGAINST_ALLOWED).goal(Goal.atLeast(1.2), RULE, ANNOTATION),
				beside(rejected, THROUGHPUT), beside(rejected, CPU), beside(rejected, P99));
	}

	private static Table beside(String situation, String metric) {
		return Table.ofFigures(situation, metric).dividedBy(Contender.UNLIMITED.title(), Situation.ALLOWED.title());
	}

	static List<Measurement> of(Samples samples) {
		List<Measurement> figures = new ArrayList<>();
		for (Subject subject : Subject.all()) {
			figures.add(subject.measured(THROUGHPUT, samples.estimate(subject, Sample::requestsPerSecond), "/s"));
			figures.add(subject.measured(CPU, samples.estimate(subject, Sample::cpuMicros), "µs"));
			figures.add(subject.measured(MEDIAN, samples.estimate(subject, Sample::medianMicros), "µs"));
			figures.add(subject.measured(P99, samples.estimate(subject, Sample::p99Micros), "µs"));
		}
		Subject unlimited = new Subject(Contender.UNLIMITED, Situation.ALLOWED);
		for (Subject subject : Subject.all()) {
			if (subject.situation() == Situation.ALLOWED) {
				figures.add(subject.measured(ALLOCATED,
						samples.compare(subject, unlimited, (one, other) -> one.bytes() - other.bytes()), "bytes"));
			}
			else {
				figures.add(subject.measured(AGAINST_ALLOWED, samples.compare(subject, subject.in(Situation.ALLOWED),
						(one, other) -> one.requestsPerSecond() / other.requestsPerSecond()), "×"));
			}
		}
		return figures;
	}

}
