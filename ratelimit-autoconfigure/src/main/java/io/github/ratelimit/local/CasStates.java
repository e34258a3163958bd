package io.github.ratelimit.local;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * The keys of a policy of one limit whose state has one changing word: taking is a single
 * compare-and-set, and rejecting only reads.
 */
final class CasStates extends LocalStates {

	private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

	private static final int BASE = 0;

	private static final int WORD = 1;

	private static final long RETIRED = Long.MIN_VALUE;

	private final WordAlgorithm algorithm;

	private final WordAlgorithm withoutDelays;

	private final long capacity;

	CasStates(WordAlgorithm algorithm, RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		super(clock, maximumSize, memory);
		this.algorithm = algorithm;
		this.withoutDelays = algorithm.withoutDelays();
		this.capacity = algorithm.capacity();
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * A rejection needs a word that was there before the time was read. Taking may use a
	 * later word, which is read again as close to the compare-and-set as possible: the
	 * longer the time between the two, the more threads fail that want the same key.
	 * <p>
	 * Fields and array elements are kept in variables, because after a compare-and-set
	 * the compiler would read them again.
	 */
	@Override
	public RateLimitDecision decide(String key, long permits) {
		WordAlgorithm algorithm = this.algorithm;
		if (permits == 0 || permits > this.capacity) {
			return read(key, permits);
		}
		long[] state = findOrCreate(key);
		while (true) {
			long base = state[BASE];
			long before = word(state);
			long now = this.clock.nanos();
			long word = word(state);
			for (int failures = 1; word != RETIRED && !algorithm.needsRebase(base, now); failures++) {
				long taken = algorithm.take(base, word, now, permits);
				if (taken == WordAlgorithm.REJECTED) {
					break;
				}
				if (WORDS.compareAndSet(state, WORD, word, taken)) {
					return algorithm.decision(base, taken, now, permits, true);
				}
				Backoff.pause(failures);
				word = word(state);
			}
			if (word == RETIRED || algorithm.needsRebase(base, now)) {
				state = current(key);
			}
			else if (word == before) {
				return algorithm.decision(base, word, now, permits, false);
			}
		}
	}

	@Override
	public RateLimitDecision decideAtOnce(String key, long permits) {
		if (this.withoutDelays == this.algorithm || permits > this.capacity) {
			return decide(key, permits);
		}
		long[] found = find(key);
		long[] state = (found != null) ? found : (permits == 0) ? create() : findOrCreate(key);
		for (int tries = 1;; tries++) {
			long base = state[BASE];
			long word = word(state);
			long now = this.clock.nanos();
			if (word == RETIRED || this.algorithm.needsRebase(base, now)) {
				state = current(key);
				continue;
			}
			long taken = this.withoutDelays.take(base, word, now, permits);
			if (taken == WordAlgorithm.REJECTED) {
				return rejection(base, word, now, permits);
			}
			if (permits == 0) {
				return this.withoutDelays.decision(base, word, now, 0, true);
			}
			if (WORDS.compareAndSet(state, WORD, word, taken)) {
				return this.algorithm.decision(base, taken, now, permits, true);
			}
			Backoff.pause(tries);
		}
	}

	private RateLimitDecision rejection(long base, long word, long now, long permits) {
		if (this.algorithm.take(base, word, now, permits) == WordAlgorithm.REJECTED) {
			return this.algorithm.decision(base, word, now, permits, false);
		}
		return RateLimitDecisions.asQueueFull(this.withoutDelays.decision(base, word, now, permits, false),
				this.algorithm.delayNanos(base, word, now, permits));
	}

	private static long word(long[] state) {
		return (long) WORDS.getVolatile(state, WORD);
	}

	/*
	 * Decides on a call that takes nothing: a look, or a request that can never pass. A
	 * thread that retires the state replaces or removes it next.
	 */
	private RateLimitDecision read(String key, long permits) {
		while (true) {
			long[] state = find(key);
			if (state == null) {
				state = create();
			}
			long word = word(state);
			if (word != RETIRED) {
				return this.algorithm.decision(state[BASE], word, this.clock.nanos(), permits, permits == 0);
			}
			Thread.onSpinWait();
		}
	}

	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
		long[] state = find(key);
		if (state == null) {
			return;
		}
		RateLimitReceipt receipt = RateLimitReceipt.of(given);
		long word = word(state);
		while (word != RETIRED) {
			long seen = (long) WORDS.compareAndExchange(state, WORD, word,
					this.algorithm.giveBack(state[BASE], word, this.clock.nanos(), permits, receipt));
			if (seen == word) {
				return;
			}
			word = seen;
		}
	}

	/*
	 * Waits for the thread that retires the state, inside the map's operation on the key,
	 * and replaces a state that needs a new base.
	 */
	private long[] current(String key) {
		long[] current = map().compute(key, (same, state) -> {
			if (state == null) {
				return createCounted(same);
			}
			long now = this.clock.nanos();
			if (!this.algorithm.needsRebase(state[BASE], now)) {
				return state;
			}
			long word = (long) WORDS.getAndSet(state, WORD, RETIRED);
			return new long[] { this.algorithm.base(now), this.algorithm.rebase(state[BASE], word, now) };
		});
		makeRoom(null);
		return current;
	}

	@Override
	long[] create() {
		return this.algorithm.create(0, this.clock.nanos());
	}

	@Override
	boolean retire(long[] state) {
		long word = (long) WORDS.getAndSet(state, WORD, RETIRED);
		return this.algorithm.isIdle(state[BASE], word, this.clock.nanos());
	}

	@Override
	boolean retireIfIdle(long[] state) {
		long word = word(state);
		return this.algorithm.isIdle(state[BASE], word, this.clock.nanos())
				&& WORDS.compareAndSet(state, WORD, word, RETIRED);
	}

	@Override
	boolean looksIdle(long[] state) {
		long word = word(state);
		return word != RETIRED && this.algorithm.isIdle(state[BASE], word, this.clock.nanos());
	}

}
