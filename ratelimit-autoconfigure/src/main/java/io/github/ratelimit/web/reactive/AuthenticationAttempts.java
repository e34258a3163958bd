package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.request.LimitedHttpRequest;

/**
 * The attempts to log in with a request that have come to no result. A manager may find
 * nobody, or break: what it was asked for has failed then, whatever else has succeeded.
 */
final class AuthenticationAttempts {

	private final LimitedHttpRequest request;

	/* In the order in which they have begun. */
	private final List<Attempt> open = new ArrayList<>(0);

	AuthenticationAttempts(LimitedHttpRequest request) {
		this.request = request;
	}

	/**
	 * Notes that an attempt begins.
	 * @param attempt tells it from others: the filter that makes it, or the credentials
	 */
	synchronized void begin(Object attempt) {
		this.open.add(new Attempt(attempt, this.request.hasFailedAttempt()));
	}

	/**
	 * Notes that an attempt has a result, and with it those that have failed to find
	 * anybody by the same credentials.
	 * @param attempt what it has begun with
	 */
	synchronized void end(Object attempt) {
		this.open.removeIf((each) -> each.by().equals(attempt));
	}

	/**
	 * Notes that an attempt has a result, in place of those that it has made itself: of
	 * managers that are asked in turn, the last one says who it is.
	 * @param attempt what it has begun with
	 * @param succeeded whether somebody could log in
	 */
	synchronized void endWithInner(Object attempt, boolean succeeded) {
		int begun = 0;
		while (begun < this.open.size() && !this.open.get(begun).by().equals(attempt)) {
			begun++;
		}
		if (begun == this.open.size()) {
			return;
		}

		if (succeeded) {
			this.request.replaceAuthentication(this.open.get(begun).failedBefore());
		}
		this.open.subList(begun, this.open.size()).clear();
	}

	/**
	 * Whether an attempt has no result yet, or never will.
	 */
	synchronized boolean areOpen() {
		return !this.open.isEmpty();
	}

	/**
	 * One that is open.
	 *
	 * @param by the filter that makes it, or the credentials
	 * @param failedBefore whether another one had failed when it began
	 */
	private record Attempt(Object by, boolean failedBefore) {

	}

}
