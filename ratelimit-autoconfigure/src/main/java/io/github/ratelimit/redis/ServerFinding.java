package io.github.ratelimit.redis;

/**
 * Something about a server that an operator should know.
 *
 * @param isWarning whether it should be changed
 * @param text what it is, and what to do
 */
record ServerFinding(boolean isWarning, String text) {

	static ServerFinding warning(String text) {
		return new ServerFinding(true, text);
	}

	static ServerFinding note(String text) {
		return new ServerFinding(false, text);
	}

}
