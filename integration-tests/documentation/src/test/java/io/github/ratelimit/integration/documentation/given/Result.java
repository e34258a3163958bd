package io.github.ratelimit.integration.documentation.given;

/**
 * A result of the application's search.
 *
 * @param title its title
 */
public record Result(String title) {
}
