package io.github.ratelimit.benchmarks.measure;

/**
 * One figure.
 *
 * @param situation what was done, such as "one hot key, 1 thread, allowed"
 * @param contender who did it
 * @param metric what was measured, such as "time"
 * @param value the mean
 * @param error half the width of its 99.9 % confidence interval, or of its spread; 0 if
 * it is exact
 * @param unit the unit of both
 */
public record Measurement(String situation, String contender, String metric, double value, double error, String unit) {
}
