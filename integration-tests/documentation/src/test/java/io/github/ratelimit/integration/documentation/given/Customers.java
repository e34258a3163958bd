package io.github.ratelimit.integration.documentation.given;

/**
 * Knows customers.
 */
public interface Customers {

	String planOf(String name);

}
