package io.github.ratelimit.integration.documentation.given;

/**
 * What somebody asks.
 *
 * @param text the question
 */
public record Question(String text) {

}
