package io.github.ratelimit.benchmarks.http;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.measure.Estimate;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.process.ClassPath;

/**
 * A contender in a situation: what has a server of its own.
 *
 * @param stack what serves the requests
 * @param contender who limits them
 * @param situation what becomes of them
 */
record Subject(Stack stack, Contender contender, Situation situation) {

	static List<Subject> of(List<Stack> stacks) {
		return stacks.stream().flatMap((stack) -> of(stack).stream()).toList();
	}

	static List<Subject> of(Stack stack) {
		return Stream.of(Situation.values())
			.flatMap((situation) -> stack.contenders()
				.stream()
				.filter((contender) -> situation == Situation.ALLOWED || contender.isToReject())
				.map((contender) -> new Subject(stack, contender, situation)))
			.toList();
	}

	Subject in(Situation situation) {
		return new Subject(this.stack, this.contender, situation);
	}

	Subject unlimited() {
		return new Subject(this.stack, this.stack.contenders().get(0), Situation.ALLOWED);
	}

	/**
	 * What limits nothing and sends our fields.
	 */
	Subject fieldsByHand() {
		Contender fields = this.stack.contenders()
			.stream()
			.filter((contender) -> contender.title().equals(Contender.FIELDS.title()))
			.findFirst()
			.orElseThrow();
		return new Subject(this.stack, fields, Situation.ALLOWED);
	}

	String title() {
		return this.stack.title(this.situation);
	}

	Measurement measured(String metric, Estimate estimate, String unit) {
		return estimate.as(title(), this.contender.title(), metric, unit);
	}

	ClassPath classPath() {
		return this.stack.classPath(this.contender.artifacts());
	}

	List<String> properties() {
		List<String> properties = new ArrayList<>(this.stack.properties());
		properties.addAll(this.contender.properties(this.situation.limit()));
		return properties;
	}

}
