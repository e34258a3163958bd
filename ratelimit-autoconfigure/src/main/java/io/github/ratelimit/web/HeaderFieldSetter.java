package io.github.ratelimit.web;

/**
 * Sets the header fields of a response, whichever the web stack.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface HeaderFieldSetter {

	/**
	 * Sets a field, in place of any earlier value.
	 * @param name the field's name
	 * @param value the value in ASCII; the array is the response's own from then on
	 */
	void set(HeaderName name, byte[] value);

}
