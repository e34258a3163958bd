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

				A handler that answers a word, each contender in a process of its own: Tomcat with Spring MVC, where nothing
				else is said, Netty with WebFlux, and Spring Cloud Gateway on Netty. As many requests as it can take, over
				connections that are kept alive (32, and 64 for the gateway), from another process on the same machine. The
				servers of a kind take turns in random order, and are started anew several times. Turns count once the code of
				the servers is compiled. A time is the lower quartile of all turns, and its error half of what the starts'
				own lower quartiles lie apart; throughput is of the time of a request. The server without limiter is there
				twice: what lies between the two is what such a comparison can tell.

				Ours sends its headers with every response, and a problem as the body of a rejection. The filter by hand asks
				a bucket for each client's address, sends one header, and rejects without a body. resilience4j has one limiter
				for all clients and sends no header; its exceptions are without stack trace, and mapped to an empty 429.

				The gateway has one route, to a handler of its own: no way to a target hides what a limiter costs. Both
				limiters count by address, so that all clients are one hot key, in a Redis on the same machine. The gateway's
				own sends its four headers, and rejects without a body.
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
