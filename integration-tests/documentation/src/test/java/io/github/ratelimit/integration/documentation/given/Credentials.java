package io.github.ratelimit.integration.documentation.given;

/**
 * What somebody logs in with.
 *
 * @param username the name of the account
 * @param password its password
 */
public record Credentials(String username, String password) {

}
