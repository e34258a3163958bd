package io.github.ratelimit.sample;

/**
 * A report.
 *
 * @param pages how many pages it has
 */
record Report(int pages) {
}
