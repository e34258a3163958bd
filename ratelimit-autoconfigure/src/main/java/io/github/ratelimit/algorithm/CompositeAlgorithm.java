package io.github.ratelimit.algorithm;

import java.util.List;

import io.github.ratelimit.RateLimitDecision;

/**
 * Several limits as one: their states lie one behind the other, and a request passes if
 * all of them admit it.
 */
final class CompositeAlgorithm extends Algorithm {

	private final Algorithm[] algorithms;

	private final boolean notesRefusals;

	private final boolean grows;

	CompositeAlgorithm(List<Algorithm> algorithms, Resolution resolution) {
		super(algorithms.stream().mapToLong(Algorithm::capacity).min().orElseThrow(), resolution);
		this.algorithms = algorithms.toArray(Algorithm[]::new);
		this.notesRefusals = algorithms.stream().anyMatch(Algorithm::notesRefusals);
		this.grows = algorithms.stream().anyMatch(Algorithm::grows);
	}

	@Override
	public int initialSize() {
		int size = 0;
		for (Algorithm algorithm : this.algorithms) {
			size += algorithm.initialSize();
		}
		return size;
	}

	@Override
	public int size(long[] state, int at) {
		int end = at;
		for (Algorithm algorithm : this.algorithms) {
			end += algorithm.size(state, end);
		}
		return end - at;
	}

	@Override
	public void initialize(long[] state, int at, long now) {
		int from = at;
		for (Algorithm algorithm : this.algorithms) {
			algorithm.initialize(state, from, now);
			from += algorithm.initialSize();
		}
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		int from = at;
		for (Algorithm algorithm : this.algorithms) {
			if (!algorithm.admits(state, from, now, permits)) {
				return false;
			}
			from += algorithm.size(state, from);
		}
		return true;
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		int from = at;
		for (Algorithm algorithm : this.algorithms) {
			algorithm.take(state, from, now, permits);
			from += algorithm.size(state, from);
		}
	}

	@Override
	public boolean notesRefusals() {
		return this.notesRefusals;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Each limit notes what it does not admit itself.
	 */
	@Override
	public void refuse(long[] state, int at, long now, long permits) {
		int from = at;
		for (Algorithm algorithm : this.algorithms) {
			if (!algorithm.admits(state, from, now, permits)) {
				algorithm.refuse(state, from, now, permits);
			}
			from += algorithm.size(state, from);
		}
	}

	@Override
	public RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed) {
		RateLimitDecision[] decisions = new RateLimitDecision[this.algorithms.length];
		int from = at;
		for (int i = 0; i < decisions.length; i++) {
			Algorithm algorithm = this.algorithms[i];
			boolean agrees = allowed || algorithm.admits(state, from, now, permits);
			decisions[i] = algorithm.decision(state, from, now, (agrees && !allowed) ? 0 : permits, agrees);
			from += algorithm.size(state, from);
		}
		return RateLimitDecision.combined(decisions);
	}

	@Override
	public void giveBack(long[] state, int at, long now, long permits, RateLimitDecision given) {
		List<RateLimitDecision> each = given.limits();
		int from = at;
		for (int i = 0; i < this.algorithms.length; i++) {
			this.algorithms[i].giveBack(state, from, now, permits, each.get(i));
			from += this.algorithms[i].size(state, from);
		}
	}

	@Override
	public boolean isNew(long[] state, int at, long now) {
		int from = at;
		for (Algorithm algorithm : this.algorithms) {
			if (!algorithm.isNew(state, from, now)) {
				return false;
			}
			from += algorithm.size(state, from);
		}
		return true;
	}

	@Override
	public boolean grows() {
		return this.grows;
	}

	@Override
	public int missing(long[] state, int at, long now, long permits) {
		int missing = 0;
		int from = at;
		for (Algorithm algorithm : this.algorithms) {
			missing += algorithm.missing(state, from, now, permits);
			from += algorithm.size(state, from);
		}
		return missing;
	}

	@Override
	public void enlarge(long[] state, int at, long[] target, int targetAt, long now, long permits) {
		int from = at;
		int to = targetAt;
		for (Algorithm algorithm : this.algorithms) {
			algorithm.enlarge(state, from, target, to, now, permits);
			from += algorithm.size(state, from);
			to += algorithm.size(target, to);
		}
	}

}
