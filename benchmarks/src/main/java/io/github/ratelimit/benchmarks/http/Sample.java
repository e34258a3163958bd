package io.github.ratelimit.benchmarks.http;

import io.github.ratelimit.benchmarks.http.load.Responses;
import io.github.ratelimit.benchmarks.process.Usage;

/**
 * What one server did in one round.
 *
 * @param requestsPerSecond requests answered in a second
 * @param medianMicros latency of half of the requests or less
 * @param p99Micros latency of all but a hundredth of the requests or less
 * @param cpuMicros the server's CPU time for a request
 * @param bytes what the server allocated for a request
 */
record Sample(double requestsPerSecond, double medianMicros, double p99Micros, double cpuMicros, double bytes) {

	static Sample of(Responses responses, Usage used) {
		int count = responses.count();
		return new Sample(responses.perSecond(), responses.latencyMicros(0.5), responses.latencyMicros(0.99),
				used.cpuNanos() / 1e3 / count, (double) used.allocatedBytes() / count);
	}

}
