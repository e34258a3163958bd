package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.request.LimitedHttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * The attempts to log in with a request that have come to no result. A manager may find
 * nobody, or break: what it was asked for has failed then, whatever else has succeeded.
 */
final class AuthenticationAttempts {

	/* One more counts as failed at once, because a client chooses how many there are. */
	private static final int MAX_ATTEMPTS = 16;

	private final LimitedHttpRequest request;

	/* Those under way, in the order in which they have begun. */
	private final List<Attempt> open = new ArrayList<>(1);

	/* By what those were made that have come to nothing. */
	private final Set<Object> fruitless = new HashSet<>();

	AuthenticationAttempts(LimitedHttpRequest request) {
		this.request = request;
	}

	/**
	 * Notes that an attempt begins.
	 * @param by tells it from others: the filter that makes it, or the credentials
	 */
	synchronized void begin(Object by) {
		if (find(by) != null) {
			return;
		}
		if (this.open.size() + this.fruitless.size() >= MAX_ATTEMPTS) {
			this.request.noteAuthentication(true);
			return;
		}
		this.open.add(new Attempt(by, this.request.hasFailedAttempt(), Set.copyOf(this.fruitless)));
	}

	private @Nullable Attempt find(Object by) {
		for (Attempt attempt : this.open) {
			if (attempt.by().equals(by)) {
				return attempt;
			}
		}
		return null;
	}

	/**
	 * Notes that an attempt has a result. If somebody could log in, the same credentials
	 * have found somebody whom another manager did not know.
	 * @param by what it was made by
	 * @param succeeded whether somebody could log in
	 */
	synchronized void end(Object by, boolean succeeded) {
		this.open.remove(find(by));
		if (succeeded) {
			this.fruitless.remove(by);
		}
	}

	/**
	 * Notes that an attempt has come to nothing: its manager is empty, or has broken.
	 * @param by what it was made by
	 */
	synchronized void endFruitless(Object by) {
		if (this.open.remove(find(by))) {
			this.fruitless.add(by);
		}
	}

	/**
	 * Notes that somebody could log in by an attempt, in place of what those have come to
	 * that it has made itself: of managers that are asked in turn, the last one says who
	 * it is.
	 * @param by what it was made by
	 */
	synchronized void succeed(Object by) {
		Attempt attempt = find(by);
		if (attempt == null) {
			return;
		}
		this.request.replaceAuthentication(attempt.failedBefore());
		this.fruitless.retainAll(attempt.fruitlessBefore());
		this.open.subList(this.open.indexOf(attempt), this.open.size()).clear();
	}

	/**
	 * Whether an attempt is under way, or will never have a result.
	 */
	synchronized boolean areOpen() {
		return !this.open.isEmpty();
	}

	/**
	 * Whether an attempt has come to nothing.
	 */
	synchronized boolean areFruitless() {
		return !this.fruitless.isEmpty();
	}

	/**
	 * One that is under way.
	 *
	 * @param by the filter that makes it, or the credentials
	 * @param failedBefore whether another one had failed when it began
	 * @param fruitlessBefore those that had come to nothing when it began
	 */
	private record Attempt(Object by, boolean failedBefore, Set<Object> fruitlessBefore) {

	}

}
