package io.github.ratelimit.benchmarks.decision;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * A decision in this process, beside the least that it can be.
 */
public final class DecisionSuite implements Suite {

	@Override
	public String name() {
		return "decision";
	}

	@Override
	public String description() {
		return "A decision in this process";
	}

	@Override
	public List<Table> tables() {
		return List.of();
	}

	@Override
	public List<Measurement> run(Mode mode) {
		return List.of();
	}

}
