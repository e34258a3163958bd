package io.github.ratelimit.benchmarks.startup;

import java.io.IOException;
import java.util.List;

import io.github.ratelimit.benchmarks.process.ChildProcess;
import io.github.ratelimit.benchmarks.process.ServerProcess;
import io.github.ratelimit.benchmarks.process.Usage;

/**
 * What one start took.
 *
 * @param millis from the start of the process until the application was ready
 * @param cpuMillis the time of all processors until then
 */
record Start(double millis, double cpuMillis) {

	static Start of(Contender contender, List<String> options) throws IOException {
		long start = System.nanoTime();
		try (ChildProcess process = contender.start(options)) {
			process.await(ServerProcess.PORT);
			long ready = System.nanoTime();
			return new Start((ready - start) / 1e6, Usage.of(process.ask(ServerProcess.USAGE)).cpuNanos() / 1e6);
		}
	}

}
