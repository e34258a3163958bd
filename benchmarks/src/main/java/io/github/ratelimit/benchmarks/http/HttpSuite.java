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

	private static final List<Stack> STACKS = List.of(Stack.TOMCAT, Stack.NETTY);

	@Override
	public String name() {
		return "http";
	}

	@Override
	public String description() {
		return """
				A request over HTTP

				A handler that answers a word, each contender in a process of its own: Tomcat with Spring MVC, where nothing
				else is said, and Netty with WebFlux. As many requests as it can take, over 32 connections that are kept
				alive, from another process on the same machine. The servers of a kind take turns in random order, and are
				started anew several times. Turns count once the code of the servers is compiled, and CPU time without what
				the compilers take. A time is the lower quartile of all turns, and its error half of what the starts' own
				lower quartiles lie apart; throughput is of the time of a request. The server without limiter is there twice:
				what lies between the two is what such a comparison can tell.

				Ours sends its five fields with every response, and a problem as the body of a rejection. What sends the same
				fields by hand limits nothing, and makes their texts of numbers that change. The filter by hand asks a bucket
				for each client's address, sends one header or our fields, and rejects without a body. resilience4j has one
				limiter for all clients and sends no header; its exceptions are without stack trace, and mapped to an empty
				429.
				""";
	}

	@Override
	public List<Table> tables() {
		return Figures.ofServers();
	}

	@Override
	public List<Measurement> run(Mode mode) throws Exception {
		return Figures.of(new Rounds(Schedule.of(mode), STACKS).run(), STACKS);
	}

}
