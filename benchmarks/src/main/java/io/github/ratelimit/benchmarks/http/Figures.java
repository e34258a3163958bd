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

	private static final String CPU_BY_HAND = "CPU time of the server for a request, × our fields by hand";

	private static final String ALLOCATED_BY_HAND = "bytes that are allocated for a request beyond our fields by hand";

	private static final String AGAINST_ALLOWED = "throughput, × that of allowed requests";

	private static final String RULE = Contender.RULE.title();

	private static final String ANNOTATION = Contender.ANNOTATION.title();

	private static final String UNMATCHED = Contender.UNMATCHED.title();

	private static final String[] WITHOUT_FIELDS = { Contender.RULE_WITHOUT_FIELDS.title(),
			Contender.ANNOTATION_WITHOUT_FIELDS.title() };

	private static final Goal REJECTED_QUICKLY = Goal.atLeast(1.4);

	private Figures() {
	}

	static List<Table> ofServers() {
		return Stream.of(ofTomcat(), ofNetty()).flatMap(List::stream).toList();
	}

	private static List<Table> ofTomcat() {
		return List.of(allowed(Stack.TOMCAT, THROUGHPUT).drawn(),
				allowed(Stack.TOMCAT, CPU).goal(Goal.atMost(1.01), UNMATCHED).goal(Goal.atMost(1.03), WITHOUT_FIELDS),
				byHand(Stack.TOMCAT, CPU_BY_HAND).goal(Goal.atMost(1), RULE, ANNOTATION), allowed(Stack.TOMCAT, MEDIAN),
				allowed(Stack.TOMCAT, P99), allocated(Stack.TOMCAT),
				byHand(Stack.TOMCAT, ALLOCATED_BY_HAND).goal(Goal.atMost(800), RULE, ANNOTATION),
				rejectedAgainstAllowed(Stack.TOMCAT), rejected(Stack.TOMCAT, THROUGHPUT), rejected(Stack.TOMCAT, CPU),
				rejected(Stack.TOMCAT, P99));
	}

	private static List<Table> ofNetty() {
		return List.of(allowed(Stack.NETTY, THROUGHPUT), allowed(Stack.NETTY, CPU),
				byHand(Stack.NETTY, CPU_BY_HAND).goal(Goal.atMost(1.03), RULE, ANNOTATION), allowed(Stack.NETTY, P99),
				allocated(Stack.NETTY), byHand(Stack.NETTY, ALLOCATED_BY_HAND), rejectedAgainstAllowed(Stack.NETTY),
				rejected(Stack.NETTY, CPU), rejected(Stack.NETTY, P99));
	}

	static List<Table> ofParts() {
		return Stream.of(Stack.TOMCAT_BY_PARTS, Stack.NETTY_BY_PARTS)
			.flatMap((stack) -> Stream.of(beside(stack, Situation.ALLOWED, CPU), allocated(stack)))
			.toList();
	}

	static List<Table> ofGateway() {
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
		return Table.ofFigures(stack.title(Situation.ALLOWED), ALLOCATED);
	}

	private static Table byHand(Stack stack, String metric) {
		return Table.ofFigures(stack.title(Situation.ALLOWED), metric);
	}

	private static Table rejectedAgainstAllowed(Stack stack) {
		return Table.ofFigures(stack.title(Situation.REJECTED), AGAINST_ALLOWED)
			.goal(REJECTED_QUICKLY, RULE, ANNOTATION);
	}

	static List<Measurement> of(Samples samples, List<Stack> stacks) {
		List<Measurement> figures = new ArrayList<>();
		for (Subject subject : Subject.of(stacks)) {
			figures.add(subject.measured(THROUGHPUT, samples.estimate(subject, Figures::throughput), "/s"));
			figures.add(subject.measured(CPU, samples.estimate(subject, least(Sample::cpuMicros)), "µs"));
			figures.add(subject.measured(MEDIAN, samples.estimate(subject, least(Sample::medianMicros)), "µs"));
			figures.add(subject.measured(P99, samples.estimate(subject, least(Sample::p99Micros)), "µs"));
			figures.addAll(comparisons(samples, subject));
		}
		return figures;
	}

	private static List<Measurement> comparisons(Samples samples, Subject subject) {
		if (subject.situation() == Situation.REJECTED) {
			return List.of(subject.measured(AGAINST_ALLOWED, samples.compare(subject, subject.in(Situation.ALLOWED),
					Figures::throughput, (one, other) -> one / other), "×"));
		}

		List<Measurement> comparisons = new ArrayList<>();
		ToDoubleFunction<List<Sample>> bytes = least(Sample::bytes);
		comparisons.add(subject.measured(ALLOCATED,
				samples.compare(subject, subject.unlimited(), bytes, (one, other) -> one - other), "bytes"));
		if (subject.stack() != Stack.GATEWAY) {
			Subject byHand = subject.fieldsByHand();
			comparisons.add(subject.measured(CPU_BY_HAND,
					samples.compare(subject, byHand, least(Sample::cpuMicros), (one, other) -> one / other), "×"));
			comparisons.add(subject.measured(ALLOCATED_BY_HAND,
					samples.compare(subject, byHand, bytes, (one, other) -> one - other), "bytes"));
		}
		return comparisons;
	}

	/* Other work can only lengthen a time. */
	private static ToDoubleFunction<List<Sample>> least(ToDoubleFunction<Sample> figure) {
		return (rounds) -> Estimate.lowerQuartile(rounds.stream().mapToDouble(figure).toArray());
	}

	private static double throughput(List<Sample> rounds) {
		return 1 / least((round) -> 1 / round.requestsPerSecond()).applyAsDouble(rounds);
	}

}
