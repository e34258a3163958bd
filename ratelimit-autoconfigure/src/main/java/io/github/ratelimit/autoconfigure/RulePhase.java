package io.github.ratelimit.autoconfigure;

/**
 * When a rule can be enforced.
 */
public enum RulePhase {

	/**
	 * Before Spring Security: whom it would not let through counts, too.
	 */
	BEFORE_SECURITY,

	/**
	 * After Spring Security: the authenticated user is known, and only who is let through
	 * counts.
	 */
	AFTER_SECURITY

}
