package io.github.ratelimit.local;

import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;

/**
 * The limits of one policy over one array: their states lie one behind the other, and a
 * request passes if all of them admit it.
 */
final class CompositeAlgorithm {

	private final Algorithm[] algorithms;

	private final int first;

	private final long capacity;

	private final boolean notesRefusals;

	private final boolean grows;

	CompositeAlgorithm(List<Algorithm> algorithms, int first) {
		this.algorithms = algorithms.toArray(Algorithm[]::new);
		this.first = first;
		this.capacity = algorithms.stream().mapToLong(Algorithm::capacity).min().orElseThrow();
		this.notesRefusals = algorithms.stream().anyMatch(Algorithm::notesRefusals);
		this.grows = algorithms.stream().anyMatch(Algorithm::grows);
	}

	long capacity() {
		return this.capacity;
	}

	boolean notesRefusals() {
		return this.notesRefusals;
	}

	long[] create(long now) {
		int size = this.first;
		for (Algorithm algorithm : this.algorithms) {
			size += algorithm.initialSize();
		}
		long[] state = new long[size];
		int at = this.first;
		for (Algorithm algorithm : this.algorithms) {
			algorithm.initialize(state, at, now);
			at += algorithm.initialSize();
		}
		return state;
	}

	boolean admits(long[] state, long now, long permits) {
		int at = this.first;
		for (Algorithm algorithm : this.algorithms) {
			if (!algorithm.admits(state, at, now, permits)) {
				return false;
			}
			at += algorithm.size(state, at);
		}
		return true;
	}

	void take(long[] state, long now, long permits) {
		int at = this.first;
		for (Algorithm algorithm : this.algorithms) {
			algorithm.take(state, at, now, permits);
			at += algorithm.size(state, at);
		}
	}

	/*
	 * Each limit notes what it does not admit itself.
	 */
	void refuse(long[] state, long now, long permits) {
		int at = this.first;
		for (Algorithm algorithm : this.algorithms) {
			if (!algorithm.admits(state, at, now, permits)) {
				algorithm.refuse(state, at, now, permits);
			}
			at += algorithm.size(state, at);
		}
	}

	RateLimitDecision decision(long[] state, long now, long permits, boolean allowed) {
		if (this.algorithms.length == 1) {
			return this.algorithms[0].decision(state, this.first, now, permits, allowed);
		}
		RateLimitDecision[] decisions = new RateLimitDecision[this.algorithms.length];
		int at = this.first;
		for (int i = 0; i < decisions.length; i++) {
			Algorithm algorithm = this.algorithms[i];
			boolean agrees = allowed || algorithm.admits(state, at, now, permits);
			decisions[i] = algorithm.decision(state, at, now, (agrees && !allowed) ? 0 : permits, agrees);
			at += algorithm.size(state, at);
		}
		return RateLimitDecision.combined(decisions);
	}

	void giveBack(long[] state, long now, long permits, RateLimitDecision given) {
		List<RateLimitDecision> each = given.limits();
		int at = this.first;
		for (int i = 0; i < this.algorithms.length; i++) {
			this.algorithms[i].giveBack(state, at, now, permits, each.get(i));
			at += this.algorithms[i].size(state, at);
		}
	}

	boolean isNew(long[] state, long now) {
		int at = this.first;
		for (Algorithm algorithm : this.algorithms) {
			if (!algorithm.isNew(state, at, now)) {
				return false;
			}
			at += algorithm.size(state, at);
		}
		return true;
	}

	int missing(long[] state, long now, long permits) {
		if (!this.grows) {
			return 0;
		}
		int missing = 0;
		int at = this.first;
		for (Algorithm algorithm : this.algorithms) {
			missing += algorithm.missing(state, at, now, permits);
			at += algorithm.size(state, at);
		}
		return missing;
	}

	long[] larger(long[] state, long now, long permits) {
		long[] larger = new long[state.length + missing(state, now, permits)];
		int at = this.first;
		int target = this.first;
		for (Algorithm algorithm : this.algorithms) {
			algorithm.copy(state, at, larger, target, algorithm.missing(state, at, now, permits));
			at += algorithm.size(state, at);
			target += algorithm.size(larger, target);
		}
		return larger;
	}

}
