package io.github.ratelimit.benchmarks.http;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * A request through Spring Cloud Gateway, beside Gateway's own limiter.
 */
public final class GatewaySuite implements Suite {

	private static final List<Stack> STACKS = List.of(Stack.GATEWAY);

	@Override
	public String name() {
		return "gateway";
	}

	@Override
	public String description() {
		return """
				A request through Spring Cloud Gateway

				Measured as a request over HTTP, over 64 connections. The gateway has one route, to a handler of its own: no
				way to a target hides what a limiter costs. Both limiters count by address, so that all clients are one hot
				key, in a Redis on the same machine. The gateway's own sends its four headers, and rejects without a body.
				""";
	}

	@Override
	public List<Table> tables() {
		return Figures.ofGateway();
	}

	@Override
	public List<Measurement> run(Mode mode) throws Exception {
		return Figures.of(new Rounds(Schedule.of(mode), STACKS).run(), STACKS);
	}

}
