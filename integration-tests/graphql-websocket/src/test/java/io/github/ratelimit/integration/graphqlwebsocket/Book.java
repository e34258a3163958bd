package io.github.ratelimit.integration.graphqlwebsocket;

/**
 * A book.
 *
 * @param title its title
 */
record Book(String title) {
}
