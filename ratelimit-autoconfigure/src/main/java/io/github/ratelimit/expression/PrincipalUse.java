package io.github.ratelimit.expression;

/**
 * Whether an expression reads the authenticated user.
 */
enum PrincipalUse {

	/** It does not. */
	NONE,

	/** It calls something that may. */
	POSSIBLE,

	/** It does. */
	CERTAIN;

	PrincipalUse or(PrincipalUse other) {
		return (compareTo(other) >= 0) ? this : other;
	}

}
