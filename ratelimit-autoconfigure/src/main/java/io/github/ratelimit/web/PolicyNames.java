package io.github.ratelimit.web;

/**
 * Says under which names clients know policies. The names in the configuration, and those
 * of annotated methods, can say more than clients should know.
 *
 * @since 0.1.0
 */
public enum PolicyNames {

	/**
	 * The names as they are.
	 */
	FULL,

	/**
	 * An alias: {@code p1}, {@code p2} and so on. The policies of the configuration come
	 * first, in their order, then those of annotated methods, by the names of their
	 * classes and methods.
	 */
	SHORT,

	/**
	 * None. The IETF's draft needs one, so that the tightest limit alone is sent, under
	 * the name {@code default}.
	 */
	NONE

}
