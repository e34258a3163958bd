package io.github.ratelimit.benchmarks.http;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * A request over HTTP, with and without a limiter on its way.
 */
public final class HttpSuite implements Suite {

	@Override
	public String name() {
		return "http";
	}

	@Override
	public String description() {
		return """
				A request over HTTP

				Tomcat with Spring MVC and a handler that answers a word, each contender in a process of its own. As many
				requests as it can take, over connections that are kept alive, from another process on the same machine. The
				servers take turns in random order, and are started anew several times. A figure is the median of all turns,
				and its error half the median's 99.9 % confidence interval. The server without limiter is there twice: what
				lies between the two is what such a comparison can tell.

				Ours sends its headers with every response, and a problem as the body of a rejection. The filter by hand asks
				a bucket for each client's address, sends one header, and rejects without a body. resilience4j has one limiter
				for all clients and sends no header; its exceptions are without stack trace, and mapped to an empty 429.
				""";
	}

	@Override
	public List<Table> tables() {
		return Figures.tables();
	}

	@Override
	public List<Measurement> run(Mode mode) throws Exception {
		return Figures.of(new Rounds(Schedule.of(mode)).run());
	}

}
