package io.github.ratelimit.benchmarks.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.measure.Estimate;
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

	private static final Goal REJECTED_QUICKLY = Goal.atLeast(1.2);

	private Figures() {
	}

	static List<Table> tables() {
		return Stream.of(ofTomcat(), ofNetty(), ofGateway()).flatMap(List::stream).toList();
	}

	private static List<Table> ofTomcat() {
		return List.of(
				allowed(Stack.TOMCAT, THROUGHPUT).goal(Goal.atLeast(0.97), RULE)
					.goal(Goal.atLeast(0.95), ANNOTATION)
					.drawn(),
				allowed(Stack.TOMCAT, CPU).goal(Goal.atMost(1.03), RULE).goal(Goal.atMost(1.05), ANNOTATION),
				allowed(Stack.TOMCAT, MEDIAN), allowed(Stack.TOMCAT, P99), allocated(Stack.TOMCAT),
				rejectedAgainstAllowed(Stack.TOMCAT), rejected(Stack.TOMCAT, THROUGHPUT), rejected(Stack.TOMCAT, CPU),
				rejected(Stack.TOMCAT, P99));
	}

	private static List<Table> ofNetty() {
		return List.of(allowed(Stack.NETTY, THROUGHPUT),
				allowed(Stack.NETTY, CPU).goal(Goal.atMost(1.05), RULE, ANNOTATION), allowed(Stack.NETTY, P99),
				allocated(Stack.NETTY), rejectedAgainstAllowed(Stack.NETTY), rejected(Stack.NETTY, CPU),
				rejected(Stack.NETTY, P99));
	}

	private static List<Table> ofGateway() {
		return Stream.of(Situation.values())
			.flatMap((situation) -> Stream.of(
					besideGateways(situation, THROUGHPUT).goal(Goal.atLeast(1.5), Contender.ROUTED_RULE.title(),
							Contender.ROUTED_FILTER.title()),
					besideGateways(situation, CPU), besideGateways(situation, P99)))
			.toList();
	}

	private static Table allowed(Stack stack, String metric) {
		return beside(stack, Situation.ALLOWED, metric);
	}

	private static Table rejected(Stack stack, String metric) {
		return beside(stack, Situation.REJECTED, metric);
	}

	private static Table beside(Stack stack, Situation situation, String metric) {
		return Table.ofFigures(stack.title(situation), metric)
			.dividedBy(Contender.UNLIMITED.title(), stack.title(Situation.ALLOWED));
	}

	private static Table besideGateways(Situation situation, String metric) {
		String title = Stack.GATEWAY.title(situation);
		return Table.ofFigures(title, metric).dividedBy(Contender.ROUTED_REDIS.title(), title);
	}

	private static Table allocated(Stack stack) {
		return Table.ofFigures(stack.title(Situation.ALLOWED), ALLOCATED).goal(Goal.atMost(1024), RULE, ANNOTATION);
	}

	private static Table rejectedAgainstAllowed(Stack stack) {
		return Table.ofFigures(stack.title(Situation.REJECTED), AGAINST_ALLOWED)
			.goal(REJECTED_QUICKLY, RULE, ANNOTATION);
	}

	static List<Measurement> of(Samples samples) {
		List<Measurement> figures = new ArrayList<>();
		for (Subject subject : Subject.all()) {
			figures.add(subject.measured(THROUGHPUT, samples.estimate(subject, Figures::throughput), "/s"));
			figures.add(subject.measured(CPU, samples.estimate(subject, least(Sample::cpuMicros)), "µs"));
			figures.add(subject.measured(MEDIAN, samples.estimate(subject, least(Sample::medianMicros)), "µs"));
			figures.add(subject.measured(P99, samples.estimate(subject, least(Sample::p99Micros)), "µs"));
		}
		for (Subject subject : Subject.all()) {
			if (subject.situation() == Situation.ALLOWED) {
				figures.add(subject.measured(ALLOCATED, samples.compare(subject, subject.unlimited(),
						least(Sample::bytes), (one, other) -> one - other), "bytes"));
			}
			else {
				figures.add(subject.measured(AGAINST_ALLOWED, samples.compare(subject, subject.in(Situation.ALLOWED),
						Figures::throughput, (one, other) -> one / other), "×"));
			}
		}
		return figures;
	}

	/* Other work can only lengthen a time. */
	private static ToDoubleFunction<List<Sample>> least(ToDoubleFunction<Sample> figure) {
		return (rounds) -> Estimate.lowerQuartile(rounds.stream().mapToDouble(figure).toArray());
	}

	private static double throughput(List<Sample> rounds) {
		return 1 / least((round) -> 1 / round.requestsPerSecond()).applyAsDouble(rounds);
	}

}
