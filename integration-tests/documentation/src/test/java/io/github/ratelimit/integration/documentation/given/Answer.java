package io.github.ratelimit.integration.documentation.given;

/**
 * What somebody is told.
 *
 * @param text the answer
 * @param tokens what it has cost
 */
public record Answer(String text, long tokens) {

}
