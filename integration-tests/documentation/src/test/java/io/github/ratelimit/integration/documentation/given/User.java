package io.github.ratelimit.integration.documentation.given;

/**
 * A user of the application.
 *
 * @param id the user's identifier
 */
public record User(String id) {
}
