package io.github.ratelimit.integration.documentation.given;

/**
 * A part of what somebody is told.
 *
 * @param text the part
 * @param tokens what it has cost
 */
public record Chunk(String text, long tokens) {

}
