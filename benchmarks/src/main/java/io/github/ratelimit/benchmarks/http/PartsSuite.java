package io.github.ratelimit.benchmarks.http;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * What the parts of a limited request cost, by leaving out one after the other.
 */
public final class PartsSuite implements Suite {

	private static final List<Stack> STACKS = List.of(Stack.TOMCAT_BY_PARTS, Stack.NETTY_BY_PARTS);

	@Override
	public String name() {
		return "parts";
	}

	@Override
	public String description() {
		return """
				A request over HTTP, part by part

				Measured as a request over HTTP. Each row does one thing more than the one above, and what it costs is what the
				two lie apart: nothing configured is the starter on the class path; no rule matches has the filter, which looks
				for a rule; one key for all decides; without fields also finds the client's address, which is the key; by rule
				also sends the five fields. The last row sends them by hand, and does nothing else. On Netty some rows are left
				out, because its servers take four times as long to be compiled.
				""";
	}

	@Override
	public List<Table> tables() {
		return Figures.ofParts();
	}

	@Override
	public List<Measurement> run(Mode mode) throws Exception {
		return Figures.of(new Rounds(Schedule.of(mode), STACKS).run(), STACKS);
	}

}
