package io.github.ratelimit.benchmarks.measure;

import java.util.List;
import java.util.stream.Stream;

/**
 * How long to measure.
 */
public enum Mode {

	/** Just to see that everything runs: the figures mean nothing. */
	SMOKE,

	/** A few minutes for each suite. */
	QUICK,

	/** As long as it takes for figures to be quoted. */
	FULL;

	/**
	 * Options of the {@code java} command for a process that is measured.
	 * @param always what it has in every mode
	 * @return these, and where figures mean nothing, what lets it start soon
	 */
	public List<String> javaOptions(String... always) {
		Stream<String> soon = Stream.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
		return Stream.concat(Stream.of(always), soon.filter((option) -> this == SMOKE)).toList();
	}

}
