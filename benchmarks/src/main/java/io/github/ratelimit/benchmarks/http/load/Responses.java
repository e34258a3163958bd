package io.github.ratelimit.benchmarks.http.load;

import java.util.Arrays;
import java.util.List;

/**
 * What came back.
 *
 * @param latencies how long each response took, in nanoseconds, ascending
 * @param nanos how long it all took
 */
public record Responses(long[] latencies, long nanos) {

	static Responses together(List<Responses> clients) {
		long[] all = clients.stream().flatMapToLong((client) -> Arrays.stream(client.latencies())).sorted().toArray();
		return new Responses(all, clients.stream().mapToLong(Responses::nanos).max().orElseThrow());
	}

	/**
	 * How many came back.
	 * @return the number
	 */
	public int count() {
		return this.latencies.length;
	}

	/**
	 * How many came back in a second.
	 * @return the number
	 */
	public double perSecond() {
		return count() * 1e9 / this.nanos;
	}

	/**
	 * How long the slower ones took.
	 * @param share the share of those that were faster, from 0 to below 1
	 * @return microseconds
	 */
	public double latencyMicros(double share) {
		return this.latencies[(int) (share * count())] / 1e3;
	}

}
