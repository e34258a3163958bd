package io.github.ratelimit.benchmarks.report;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;

/**
 * What one run of a suite measured, and where.
 *
 * @param date the day
 * @param command what was typed
 * @param machine the processor and the system
 * @param java the Java that ran it
 * @param measurements the figures
 */
public record Results(String date, String command, String machine, String java, List<Measurement> measurements) {
}
