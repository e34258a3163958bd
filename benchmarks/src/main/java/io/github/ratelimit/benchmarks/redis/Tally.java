package io.github.ratelimit.benchmarks.redis;

/**
 * What callers saw.
 *
 * @param decisions how many decisions they had
 * @param allowed how many of these were to pass
 * @param latencies how long each took
 * @param began when the first began, in {@link System#nanoTime()}
 * @param ended when the last ended
 */
record Tally(long decisions, long allowed, Latencies latencies, long began, long ended) {

	Tally plus(Tally other) {
		this.latencies.add(other.latencies);
		return new Tally(this.decisions + other.decisions, this.allowed + other.allowed, this.latencies,
				Math.min(this.began, other.began), Math.max(this.ended, other.ended));
	}

	double seconds() {
		return (this.ended - this.began) / 1e9;
	}

}
