package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.List;

/**
 * The attempts to log in with a request that have come to no result. A manager may find
 * nobody, or break: what it was asked for has failed then, whatever else has succeeded.
 */
final class AuthenticationAttempts {

	/* In the order in which they have begun. */
	private final List<Object> open = new ArrayList<>(0);

	/**
	 * Notes that an attempt begins.
	 * @param attempt tells it from others: the filter that makes it, or the credentials
	 */
	synchronized void begin(Object attempt) {
		this.open.add(attempt);
	}

	/**
	 * Notes that an attempt has a result, and with it those that have failed to find
	 * anybody by the same credentials.
	 * @param attempt what it has begun with
	 */
	synchronized void end(Object attempt) {
		this.open.removeIf(attempt::equals);
	}

	/**
	 * Notes that an attempt has a result, whatever those have come to that it has made
	 * itself.
	 * @param attempt what it has begun with
	 */
	synchronized void endWithInner(Object attempt) {
		int begun = this.open.indexOf(attempt);
		if (begun >= 0) {
			this.open.subList(begun, this.open.size()).clear();
		}
	}

	/**
	 * Whether an attempt has no result yet, or never will.
	 */
	synchronized boolean areOpen() {
		return !this.open.isEmpty();
	}

}
